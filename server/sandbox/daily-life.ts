import { type Json, type JsonObject } from '@/lib/kube/json';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';
import { listAt, numberAt, textAt } from '@/server/sandbox/api/stored-object';
import { expireEvents } from '@/server/sandbox/event-expiry';
import { perform } from '@/server/sandbox/play';
import { ivanPetrov, leaBrandt, majaLind, pipeline, using } from '@/server/sandbox/story/actors';
import { FLEET } from '@/server/sandbox/story/fleet';
import { type WorkloadStory } from '@/server/sandbox/story/story';
import { CHANGE_CAUSE, collectionOf, RESTARTED_AT, timeText } from '@/server/sandbox/story/writes';

export interface DailyLife {
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

/** Soon after the start somebody is watching and wants to see something move. */
const FIRST_AFTER_MS = 12_000;
/** From one small thing to the next: often enough to be seen, seldom enough not to bury what one looks at. */
const PAUSE_MIN_MS = 60_000;
const PAUSE_MAX_MS = 150_000;

/** Of a hundred small things 70 are releases, 15 changes of size, the rest restarts. */
const RELEASES = 0.7;
const RELEASES_AND_SCALES = 0.85;

type Pick = <T>(items: readonly T[]) => T | undefined;

const REASONS = ['small fixes', 'newer base image', 'clearer messages', 'fewer queries', 'tidier metrics'];

/** Lets small things happen from now on: a release every few minutes, a restart, one pod more or less. */
export function startDailyLife(
  transport: Transport,
  log: Logger,
  clock: Clock = systemClock,
  random: () => number = Math.random,
): DailyLife {
  const end = new AbortController();
  const pick: Pick = (items) => items[Math.floor(random() * items.length)];
  const run = async () => {
    await expireEvents(transport, clock.now());
    for (let waitMs = FIRST_AFTER_MS; ;) {
      await clock.sleep(waitMs, end.signal);
      try {
        const story = pick(FLEET.filter(({ isLively }) => isLively));
        if (story !== undefined) await happen(transport, story, clock.now(), pick, random());
        await expireEvents(transport, clock.now());
      } catch (error) {
        if (!end.signal.aborted) log.debug('Nothing happened in the sandbox.', { error });
      }
      waitMs = PAUSE_MIN_MS + random() * (PAUSE_MAX_MS - PAUSE_MIN_MS);
    }
  };
  const running = run().catch((error: unknown) => {
    if (!end.signal.aborted) log.warn('The sandbox has come to a standstill.', { error });
  });
  return {
    stop: async () => {
      end.abort(new Error('The sandbox stops.'));
      await running;
    },
  };
}

async function happen(
  transport: Transport,
  story: WorkloadStory,
  at: number,
  pick: Pick,
  chance: number,
): Promise<void> {
  const path = `${collectionOf(story)}/${story.app.name}`;
  const present = await transport.json({ method: 'GET', path });
  const by =
    chance < RELEASES ? pipeline : using('patch', pick([majaLind, ivanPetrov, leaBrandt]) ?? majaLind);
  const patch =
    chance < RELEASES
      ? release(story.app.name, present, pick(REASONS) ?? '')
      : chance < RELEASES_AND_SCALES
        ? { spec: { replicas: otherSize(story, present) } }
        : { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: timeText(at) } } } } };
  await perform(transport, { do: 'patch', at, by, path, patch, type: 'strategic-merge' });
}

/** The next version of the program that runs now, whoever put it there. */
function release(name: string, present: Json, reason: string): JsonObject {
  const [main] = listAt(present, 'spec', 'template', 'spec', 'containers');
  const image = nextVersion(textAt(main, 'image'));
  const cause = `${titleOf(name)} ${image.slice(image.lastIndexOf(':') + 1)}: ${reason}`;
  return {
    metadata: { annotations: { [CHANGE_CAUSE]: cause } },
    spec: { template: { spec: { containers: [{ name: textAt(main, 'name'), image }] } } },
  };
}

function otherSize({ replicas = 1 }: WorkloadStory, present: Json): number {
  return numberAt(present, 'spec', 'replicas') > replicas ? replicas : replicas + 1;
}

/** The tag's last number is one higher; an image without one stays as it is. */
export function nextVersion(image: string): string {
  return image.replace(/\d+$/, (last) => String(Number(last) + 1));
}

function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
}
