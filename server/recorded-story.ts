import 'server-only';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { anyRecord } from '@/server/archive/any-record';
import { type Archive } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';
import { type Clock } from '@/server/cluster/clock';
import { Keys } from '@/server/keys';
import { type Logger } from '@/server/log';
import { Summaries } from '@/server/reads/summaries';
import { deriveView } from '@/server/reads/view';
import { Recorder } from '@/server/recorder/recorder';
import { clusterIn } from '@/server/sandbox-sight';
import { type SandboxApi } from '@/server/sandbox/api/sandbox-api';
import { type FirstPlayOptions, type Onlooker, playFirst } from '@/server/sandbox/first-play';
import { reviewOf } from '@/server/sandbox/story/reviews';

/** How often, in real time, what was seen is written. */
const WRITE_MS = 250;

/**
 * Plays the sandbox's story as {@link playFirst} does, and records it while it is played, as a Shiplog that had been
 * there for those weeks would have.
 */
export async function playRecorded(options: FirstPlayOptions & { log: Logger }): Promise<void> {
  await playFirst({
    ...options,
    onlooker: ({ api, clock, folder }) => record(api, clock, folder, options.log),
  });
}

async function record(api: SandboxApi, clock: Clock, folder: string, log: Logger): Promise<Onlooker> {
  const archive = await openArchive({ databaseUrl: undefined, dataDir: folder });
  const cluster = clusterIn(api);
  const keys = Keys.load(folder);
  const busy = { with: 0 };
  const recorder = new Recorder({
    cluster,
    archive: countReads(archive, busy),
    keys,
    summaries: new Summaries(keys),
    view: (workload) => deriveView(cluster, workload, clock.now()),
    actionsOf: () => [],
    relatedTo: () => [],
    retention: { days: 0, perWorkload: 0 },
    log,
    clock: { now: () => clock.now(), sleep: (_ms, signal) => setTimeout(WRITE_MS, undefined, { signal }) },
  });
  recorder.start();
  while (recorder.state.state === 'starting') await setTimeout(1);
  return {
    settled: async () => {
      do await nextTurn();
      while (busy.with > 0);
    },
    leave: async () => {
      await recorder.stop();
      await review(archive, cluster.identity.id, clock.now());
      await archive.close();
    },
  };
}

/** What the team has said of it so far. */
async function review(archive: Archive, cluster: string, endMs: number): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Archive['search']>> = await archive.search({
      ...unreviewed,
      cluster,
      cursor,
    });
    for (const { record: rollout } of page.items) {
      const said = reviewOf(rollout, endMs);
      if (said !== null) await archive.review(rollout.id, said.verdict, 0, said.comment);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
}

const unreviewed = { ...anyRecord, reviewed: false, limit: 200 };

/** A workload that is new is looked at once the archive has said that it does not know it. */
function countReads(archive: Archive, busy: { with: number }): Archive {
  return new Proxy(archive, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, given);
        if (name === 'record' || !(result instanceof Promise)) return result;
        busy.with += 1;
        return result.finally(() => (busy.with -= 1));
      };
    },
  });
}
