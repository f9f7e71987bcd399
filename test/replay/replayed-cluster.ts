import { groupOf, type KubeObject } from '@/lib/kube/object';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import type { ResourceType } from '@/lib/kube/resource';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { BodyStore } from '@/server/cluster/body-store';
import type { WorkloadKey } from '@/server/cluster/cache';
import type { Cluster } from '@/server/cluster/cluster';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import { EventFilter } from '@/server/cluster/event-filter';
import { SemanticIds } from '@/server/cluster/ingest';
import { ReflectorStore } from '@/server/cluster/reflector-store';
import { resourceReaders } from '@/server/cluster/resource-readers';
import { OwnerHistories } from '@/server/cluster/owner-histories';
import { RolloutIndex, type RolloutKey } from '@/server/cluster/rollout-index';
import { ViewerAccess } from '@/server/cluster/viewer-access';
import { systemClock } from '@/server/shared/clock';
import type { RecordedLine } from '@/test/replay/recording';
import { processViewer } from '@/server/shared/testing/viewers';

type WatchEvent = Extract<RecordedLine, { object: KubeObject }>;

/** As in the live cluster. */
const ANNOTATION_CHARS_MAX = 2_000;

/** A cluster with the events of a recorded watch, in the same stores and readers as a live one. */
export class ReplayedCluster implements Pick<
  Cluster,
  'identity' | 'connection' | 'ready' | 'namespaces' | 'cache' | 'rollouts'
> {
  readonly identity = { id: 'cluster', name: 'recorded', server: 'https://api', version: 'v1.36.3' };
  readonly self = processViewer('ana');
  readonly connection;
  readonly ready = true;
  /** All namespaces are included. */
  readonly namespaces: readonly string[] = [];
  readonly access = { can: () => Promise.resolve({ allowed: true }) };
  readonly viewerAccess = new ViewerAccess(this.access, systemClock, new AbortController().signal);
  readonly cache: IndexedCache;
  readonly rollouts: RolloutIndex;
  /** Objects that could not be stored. */
  readonly failures: string[] = [];
  /** As they arrived, by uid. */
  readonly objects = new Map<string, KubeObject>();
  /** How many events each namespace has had. */
  readonly eventCounts = new Map<string, number>();
  readonly #stores = new Map<string, ReflectorStore<unknown>>();
  readonly #changeListeners = new Set<(keys: readonly WorkloadKey[]) => void>();
  readonly #rolloutListeners = new Set<(keys: readonly RolloutKey[]) => void>();

  constructor(startMs: number, now: () => number) {
    this.connection = { state: 'connected' as const, message: null, observedAt: startMs, since: startMs };
    const bodies = new BodyStore();
    const semantic = new SemanticIds(bodies);
    this.rollouts = new RolloutIndex(
      (keys) => this.#rolloutListeners.forEach((listener) => listener(keys)),
      now,
    );
    this.cache = new IndexedCache({
      kinds: workloadKinds,
      bodies,
      semantic,
      states: () => this.#states(),
      now,
      onChange: (keys) => {
        this.rollouts.markWorkloadsChanged(keys);
        this.#changeListeners.forEach((listener) => listener(keys));
      },
    });
    this.cache.extend(new OwnerHistories(this.cache));
    const readers = resourceReaders({
      kinds: workloadKinds,
      systems: rolloutSystems,
      ingest: { bodies, semantic, annotationCharsMax: ANNOTATION_CHARS_MAX },
      cache: this.cache,
      rollouts: this.rollouts,
      events: new EventFilter(this.cache),
    });
    for (const { type, reader } of readers) {
      const store = new ReflectorStore<unknown>({
        ingest: (object) => reader.ingest(object),
        onChange: (change) => reader.apply(change),
        onFailure: (key, error) => this.failures.push(`${type.id} ${key}: ${String(error)}`),
      });
      this.#stores.set(keyOf(type), store);
    }
  }

  apply({ type, object }: WatchEvent): void {
    const store = this.#stores.get(keyOf({ group: groupOf(object.apiVersion), kind: object.kind }));
    const { namespace = '' } = object.metadata;
    this.eventCounts.set(namespace, (this.eventCounts.get(namespace) ?? 0) + 1);
    this.objects.set(object.metadata.uid, object);
    if (type === 'DELETED') this.objects.delete(object.metadata.uid);
    if (type === 'DELETED') store?.remove(object);
    else store?.put(object);
  }

  onChange(listener: (keys: readonly WorkloadKey[]) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onRolloutChange(listener: (keys: readonly RolloutKey[]) => void): () => void {
    this.#rolloutListeners.add(listener);
    return () => this.#rolloutListeners.delete(listener);
  }

  onConnection(): () => void {
    return () => undefined;
  }

  #states() {
    const ids = [
      'pods',
      ...workloadKinds.flatMap(({ resource, source }) => [resource.id, source.resource.id]),
      ...rolloutSystems.map(({ resource }) => resource.id),
    ];
    return [...new Set(ids)].map((resource) => ({ resource, synced: true, problem: null }));
  }
}

function keyOf({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): string {
  return `${kind}.${group}`;
}
