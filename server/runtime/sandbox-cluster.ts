import 'server-only';
import type { KubeObject } from '@/lib/kube/object';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { sourcesByResource } from '@/lib/workloads/source-readers';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { BodyStore } from '@/server/cluster/body-store';
import type { WorkloadKey } from '@/server/cluster/cache';
import type { Cluster } from '@/server/cluster/cluster';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import type { StoreChange } from '@/server/cluster/store-change';
import { ingestEvent } from '@/server/cluster/ingest-event';
import { ingestAnySource, ingestWorkload, SemanticIds } from '@/server/cluster/ingest';
import { ingestPod } from '@/server/cluster/ingest-pod';
import { OwnerHistories } from '@/server/cluster/owner-histories';
import { RolloutIndex, type RolloutKey } from '@/server/cluster/rollout-index';
import { SERVER_VERSION } from '@/sandbox/api/discovery';
import type { SandboxApi } from '@/sandbox/api/sandbox-api';

/**
 * The sandbox's objects as the recorder reads a cluster, without a connection in between that could lag behind the
 * clock.
 */
export function sandboxCluster(api: SandboxApi): Cluster {
  const bodies = new BodyStore();
  const context = { bodies, semantic: new SemanticIds(bodies) };
  const listeners = new Set<(keys: readonly WorkloadKey[]) => void>();
  const cache = new IndexedCache({
    kinds: workloadKinds,
    bodies,
    semantic: context.semantic,
    states: () => resources.map((resource) => ({ resource, synced: true, problem: null })),
    onChange: (keys) => {
      rollouts.markWorkloadsChanged(keys);
      listeners.forEach((listener) => listener(keys));
    },
  });
  cache.extend(new OwnerHistories(cache));
  const rolloutListeners = new Set<(keys: readonly RolloutKey[]) => void>();
  const rollouts = new RolloutIndex((keys) => rolloutListeners.forEach((listener) => listener(keys)));
  const handlers: Handlers = new Map();
  for (const kind of workloadKinds) {
    addHandler(
      handlers,
      kind.resource.id,
      (object) => ingestWorkload(kind, object, context),
      (change) => cache.changeWorkload(change),
    );
  }
  for (const [resource, sources] of sourcesByResource(workloadKinds)) {
    addHandler(
      handlers,
      resource,
      (object) => ingestAnySource(sources, object, context),
      (change) => cache.changeSource(change),
    );
  }
  addHandler(handlers, 'pods', ingestPod, (change) => cache.changePod(change));
  addHandler(handlers, 'events', ingestEvent, ({ type, value }) => {
    if (type !== 'deleted' && value?.isShown === true) cache.addEvent(value.event);
  });
  followRollouts(handlers, rollouts);
  const resources = [...handlers.keys()];
  api.store.subscribe(({ collection, type, object }) => {
    handlers.get(collection)?.(type, object.metadata.uid, object as unknown as KubeObject);
  });
  const id = api.store.get('namespaces', '', 'kube-system')?.metadata.uid ?? '';
  const partialCluster = {
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
  // The recorder neither reads nor writes through it.
  return partialCluster as unknown as Cluster;
}

/** By the collection of the objects. */
type Handlers = Map<string, (type: WatchEventType, uid: string, object: KubeObject) => void>;

function followRollouts(handlers: Handlers, rollouts: RolloutIndex): void {
  for (const system of rolloutSystems) {
    addHandler(
      handlers,
      system.resource.id,
      (object) => system.parse(object),
      (change) => rollouts.changeRollout(change),
    );
    for (const entry of system.relatedObjects)
      addHandler(
        handlers,
        entry.resource.id,
        (object) => entry.parse(object),
        (change) => rollouts.changeRelatedObject(change),
      );
  }
}

/** A collection may be read by several: a resource can be a kind of workload and a system of rollouts. */
function addHandler<T>(
  handlers: Handlers,
  collection: string,
  ingest: (object: KubeObject) => T,
  apply: (change: StoreChange<T>) => void,
): void {
  const track = trackChanges(ingest, apply);
  const before = handlers.get(collection);
  handlers.set(collection, (type, uid, object) => {
    before?.(type, uid, object);
    track(type, uid, object);
  });
}

type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Turns events of the objects of one collection into changes of the cache. */
function trackChanges<T>(
  ingest: (object: KubeObject) => T,
  apply: (change: StoreChange<T>) => void,
): (type: WatchEventType, uid: string, object: KubeObject) => void {
  const values = new Map<string, T>();
  return (type, uid, object) => {
    const previous = values.get(uid);
    const value = ingest(object);
    if (type === 'DELETED') {
      values.delete(uid);
      if (previous !== undefined) apply({ type: 'deleted', value, previous });
      return;
    }
    values.set(uid, value);
    if (previous === undefined) apply({ type: 'added', value });
    else apply({ type: 'updated', value, previous });
  };
}
