import 'server-only';
import { type KubeObject } from '@/lib/kube/object';
import { rolloutSystems } from '@/lib/rollout/systems';
import { sourcesByResource } from '@/lib/workloads/source-readers';
import { workloadKinds } from '@/lib/workloads/table';
import { BodyStore } from '@/server/cluster/body-store';
import { type WorkloadKey } from '@/server/cluster/cache';
import { type Cluster } from '@/server/cluster/cluster';
import { IndexedCache, type StoreChange } from '@/server/cluster/cluster-cache';
import { eventSummaryOf } from '@/server/cluster/event-summary';
import { ingestAnySource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { markedPod } from '@/server/cluster/marked-pod';
import { RolloutIndex, type RolloutKey } from '@/server/cluster/rollout-index';
import { SERVER_VERSION } from '@/server/sandbox/api/discovery';
import { type SandboxApi } from '@/server/sandbox/api/sandbox-api';

/** The sandbox's objects as the recorder sees a cluster, without a connection in between that could lag behind the clock. */
export function clusterIn(api: SandboxApi): Cluster {
  const bodies = new BodyStore();
  const context = { bodies, semantic: new SemanticIds(bodies) };
  const listeners = new Set<(keys: readonly WorkloadKey[]) => void>();
  const cache = new IndexedCache({
    kinds: workloadKinds,
    bodies,
    semantic: context.semantic,
    states: () => resources.map((resource) => ({ resource, synced: true, problem: null })),
    onChange: (keys) => {
      rollouts.noteWorkloads(keys);
      listeners.forEach((listener) => listener(keys));
    },
  });
  const rolloutListeners = new Set<(keys: readonly RolloutKey[]) => void>();
  const rollouts = new RolloutIndex((keys) => rolloutListeners.forEach((listener) => listener(keys)));
  const follow: Followed = new Map();
  for (const kind of workloadKinds) {
    add(
      follow,
      kind.resource.id,
      (object) => ingestWorkload(kind, object, context),
      (change) => cache.changeWorkload(change),
    );
  }
  for (const [resource, sources] of sourcesByResource(workloadKinds)) {
    add(
      follow,
      resource,
      (object) => ingestAnySource(sources, object, context),
      (change) => cache.changeSource(change),
    );
  }
  add(follow, 'pods', markedPod, (change) => cache.changePod(change));
  add(follow, 'events', eventSummaryOf, ({ type, value }) => {
    if (type !== 'deleted' && value?.isShown === true) cache.addEvent(value.event);
  });
  followRollouts(follow, rollouts);
  const resources = [...follow.keys()];
  api.store.subscribe(({ collection, type, object }) => {
    follow.get(collection)?.(type, object.metadata.uid, object as unknown as KubeObject);
  });
  const id = api.store.get('namespaces', '', 'kube-system')?.metadata.uid ?? '';
  const part = {
    identity: { id, name: 'sandbox', server: api.url, version: SERVER_VERSION.gitVersion },
    connection: { state: 'connected', message: null, observedAt: null, since: 0 },
    cache,
    rollouts,
    ready: true,
    onChange(listener: (keys: readonly WorkloadKey[]) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onRolloutChange(listener: (keys: readonly RolloutKey[]) => void) {
      rolloutListeners.add(listener);
      return () => rolloutListeners.delete(listener);
    },
    onConnection: () => () => undefined,
  } satisfies Partial<Cluster>;
  // The recorder neither asks nor writes.
  return part as unknown as Cluster;
}

/** By the collection that the objects are of. */
type Followed = Map<string, (type: Change, uid: string, object: KubeObject) => void>;

function followRollouts(follow: Followed, rollouts: RolloutIndex): void {
  for (const system of rolloutSystems) {
    add(
      follow,
      system.resource.id,
      (object) => system.parse(object),
      (change) => rollouts.changeRollout(change),
    );
    for (const one of system.beside)
      add(
        follow,
        one.resource.id,
        (object) => one.parse(object),
        (change) => rollouts.changeBeside(change),
      );
  }
}

/** A collection may be read by several: a resource can be a kind of workload and a system of rollouts. */
function add<T>(
  follow: Followed,
  collection: string,
  ingest: (object: KubeObject) => T,
  apply: (change: StoreChange<T>) => void,
): void {
  const keep = keeper(ingest, apply);
  const before = follow.get(collection);
  follow.set(collection, (type, uid, object) => {
    before?.(type, uid, object);
    keep(type, uid, object);
  });
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
