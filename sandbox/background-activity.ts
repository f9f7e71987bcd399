import { type Json, type JsonObject } from '@/lib/kube/json';
import { type Clock, systemClock } from '@/server/shared/clock';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/shared/log';
import { listOrEmptyAt, numberOrZeroAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { expireEvents } from '@/sandbox/event-expiry';
import { sendWrite } from '@/sandbox/replay-writes';
import { ivanPetrov, leaBrandt, majaLind, pipeline, using } from '@/sandbox/seed/people';
import { FLEET } from '@/sandbox/seed/fleet/fleet';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';
import { CHANGE_CAUSE, collectionOf, RESTARTED_AT, timeText } from '@/sandbox/seed/seed-writes';

export interface BackgroundActivity {
  /** Resolves when no writes are pending. */
  stop(): Promise<void>;
}

/** Short, so that a viewer of a new sandbox soon sees a change. */
const FIRST_AFTER_MS = 12_000;
/** Time between two activities: frequent enough to be seen, rare enough not to disturb the viewer. */
const PAUSE_MIN_MS = 60_000;
const PAUSE_MAX_MS = 150_000;

/** Of a hundred activities 70 are releases, 15 scale, the rest restart. */
const RELEASES = 0.7;
const RELEASES_AND_SCALES = 0.85;

type Pick = <T>(items: readonly T[]) => T | undefined;

const REASONS = ['small fixes', 'newer base image', 'clearer messages', 'fewer queries', 'tidier metrics'];

/** Starts the background activity: a release every few minutes, a restart, one pod more or less. */
export function startBackgroundActivity(
  transport: Transport,
  log: Logger,
  clock: Clock = systemClock,
  random: () => number = Math.random,
): BackgroundActivity {
  const end = new AbortController();
  const pick: Pick = (items) => items[Math.floor(random() * items.length)];
  const run = async () => {
    await expireEvents(transport, clock.now());
    for (let waitMs = FIRST_AFTER_MS; ;) {
      await clock.sleep(waitMs, end.signal);
      try {
        const workload = pick(FLEET.filter(({ isLively }) => isLively));
        if (workload !== undefined) await changeWorkload(transport, workload, clock.now(), pick, random());
        await expireEvents(transport, clock.now());
      } catch (error) {
        if (!end.signal.aborted) log.debug('No activity in the sandbox.', { error });
      }
      waitMs = PAUSE_MIN_MS + random() * (PAUSE_MAX_MS - PAUSE_MIN_MS);
    }
  };
  const running = run().catch((error: unknown) => {
    if (!end.signal.aborted) log.warn('The sandbox has stopped making progress.', { error });
  });
  return {
    stop: async () => {
      end.abort(new Error('The sandbox stops.'));
      await running;
    },
  };
}

async function changeWorkload(
  transport: Transport,
  workload: WorkloadSeed,
  at: number,
  pick: Pick,
  chance: number,
): Promise<void> {
  const path = `${collectionOf(workload)}/${workload.app.name}`;
  const present = await transport.json({ method: 'GET', path });
  const by =
    chance < RELEASES ? pipeline : using('patch', pick([majaLind, ivanPetrov, leaBrandt]) ?? majaLind);
  const patch =
    chance < RELEASES
      ? release(workload.app.name, present, pick(REASONS) ?? '')
      : chance < RELEASES_AND_SCALES
        ? { spec: { replicas: otherSize(workload, present) } }
        : { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: timeText(at) } } } } };
  await sendWrite(transport, { do: 'patch', at, by, path, patch, type: 'strategic-merge' });
}

/** The version after the one that runs now, whichever user deployed that. */
function release(name: string, present: Json, reason: string): JsonObject {
  const [main] = listOrEmptyAt(present, 'spec', 'template', 'spec', 'containers');
  const image = nextVersion(textOrEmptyAt(main, 'image'));
  const cause = `${titleOf(name)} ${image.slice(image.lastIndexOf(':') + 1)}: ${reason}`;
  return {
    metadata: { annotations: { [CHANGE_CAUSE]: cause } },
    spec: { template: { spec: { containers: [{ name: textOrEmptyAt(main, 'name'), image }] } } },
  };
}

function otherSize({ replicas = 1 }: WorkloadSeed, present: Json): number {
  return numberOrZeroAt(present, 'spec', 'replicas') > replicas ? replicas : replicas + 1;
}

/** Increases the last number of the tag; an image without one stays as it is. */
function nextVersion(image: string): string {
  return image.replace(/\d+$/, (last) => String(Number(last) + 1));
}

function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
}
