import 'server-only';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { type KubeObject } from '@/lib/kube/object';
import { podSummaryOf } from '@/lib/workloads/block';
import { workloadKinds } from '@/lib/workloads/table';
import { anyRecord } from '@/server/archive/any-record';
import { type Archive, type RecordQuery } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';
import { BodyStore } from '@/server/cluster/body-store';
import { type WorkloadKey } from '@/server/cluster/cache';
import { type Clock } from '@/server/cluster/clock';
import { type Cluster } from '@/server/cluster/cluster';
import { IndexedCache, type StoreChange } from '@/server/cluster/cluster-cache';
import { eventSummaryOf } from '@/server/cluster/event-summary';
import { ingestSource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { Keys } from '@/server/keys';
import { type Logger } from '@/server/log';
import { Summaries } from '@/server/reads/summaries';
import { deriveView } from '@/server/reads/view';
import { Recorder } from '@/server/recorder/recorder';
import { SERVER_VERSION } from '@/server/sandbox/api/discovery';
import { type SandboxApi } from '@/server/sandbox/api/sandbox-api';
import { type FirstPlayOptions, type Onlooker, playFirst } from '@/server/sandbox/first-play';
import { reviewOf } from '@/server/sandbox/story/reviews';

/** How often, in real time, what was seen is written. */
const WRITE_MS = 25;

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
      await review(archive, clock.now());
      await archive.close();
    },
  };
}

/** What the team has said of it so far. */
async function review(archive: Archive, endMs: number): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Archive['search']>> = await archive.search({ ...unreviewed, cursor });
    for (const { record: rollout } of page.items) {
      const said = reviewOf(rollout, endMs);
      if (said !== null) await archive.review(rollout.id, said.verdict, 0, said.comment);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
}

const unreviewed: RecordQuery = { ...anyRecord, reviewed: false, limit: 200 };

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

/** The sandbox's objects as the recorder sees a cluster, without a connection in between that could lag behind the clock. */
function clusterIn(api: SandboxApi): Cluster {
  const bodies = new BodyStore();
  const context = { bodies, semantic: new SemanticIds(bodies) };
  const listeners = new Set<(keys: readonly WorkloadKey[]) => void>();
  const cache = new IndexedCache({
    kinds: workloadKinds,
    bodies,
    semantic: context.semantic,
    states: () => resources.map((resource) => ({ resource, synced: true, problem: null })),
    onChange: (keys) => listeners.forEach((listener) => listener(keys)),
  });
  const follow = new Map<string, (type: Change, uid: string, object: KubeObject) => void>();
  for (const kind of workloadKinds) {
    follow.set(
      kind.resource.id,
      keeper(
        (object) => ingestWorkload(kind, object, context),
        (change) => cache.changeWorkload(change),
      ),
    );
    follow.set(
      kind.source.resource.id,
      keeper(
        (object) => ingestSource(kind.source, object, context),
        (change) => cache.changeSource(change),
      ),
    );
  }
  follow.set(
    'pods',
    keeper(podSummaryOf, (change) => cache.changePod(change)),
  );
  follow.set(
    'events',
    keeper(eventSummaryOf, ({ type, value }) => {
      if (type !== 'deleted' && value !== null) cache.addEvent(value);
    }),
  );
  const resources = [...follow.keys()];
  api.store.subscribe(({ collection, type, object }) => {
    follow.get(collection)?.(type, object.metadata.uid, object as unknown as KubeObject);
  });
  const id = api.store.get('namespaces', '', 'kube-system')?.metadata.uid ?? '';
  const part = {
    identity: { id, name: 'sandbox', server: api.url, version: SERVER_VERSION.gitVersion },
    connection: { state: 'connected', message: null, observedAt: null, since: 0 },
    cache,
    ready: true,
    onChange(listener: (keys: readonly WorkloadKey[]) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onConnection: () => () => undefined,
  } satisfies Partial<Cluster>;
  // The recorder neither asks nor writes.
  return part as unknown as Cluster;
}

type Change = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Turns what happens to objects of one collection into changes of what is kept of them. */
function keeper<T>(
  ingest: (object: KubeObject) => T,
  apply: (change: StoreChange<T>) => void,
): (type: Change, uid: string, object: KubeObject) => void {
  const kept = new Map<string, T>();
  return (type, uid, object) => {
    const previous = kept.get(uid);
    const value = ingest(object);
    if (type === 'DELETED') {
      kept.delete(uid);
      if (previous !== undefined) apply({ type: 'deleted', value, previous });
      return;
    }
    kept.set(uid, value);
    if (previous === undefined) apply({ type: 'added', value });
    else apply({ type: 'updated', value, previous });
  };
}
