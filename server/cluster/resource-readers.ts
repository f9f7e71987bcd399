import 'server-only';
import { semanticIdOf } from '@/server/shared/semantic-id';
import type { ControllerRecord } from '@/lib/rollout/controller-record';
import type { RolloutSystem } from '@/lib/rollout/system';
import type { RelatedObject, RolloutObject } from '@/lib/rollout/rollout-facts';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import type { ResourceType } from '@/lib/kube/resource';
import { sourcesByResource } from '@/lib/workloads/source-readers';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import type { IndexedCache } from '@/server/cluster/indexed-cache';
import type { EventFilter } from '@/server/cluster/event-filter';
import { ingestEvent, type IngestedEvent } from '@/server/cluster/ingest-event';
import { ingestAnySource, ingestWorkload, type IngestContext } from '@/server/cluster/ingest';
import { ingestPod } from '@/server/cluster/ingest-pod';
import type { RolloutIndex } from '@/server/cluster/rollout-index';
import { combineReaders, type ObjectReader } from '@/server/cluster/object-reader';

const pods: ResourceType = { id: 'pods', group: '', versions: ['v1'], plural: 'pods', kind: 'Pod' };
const events: ResourceType = { id: 'events', group: '', versions: ['v1'], plural: 'events', kind: 'Event' };

export interface ReaderOptions {
  kinds: readonly WorkloadKind[];
  systems: readonly RolloutSystem[];
  ingest: IngestContext;
  cache: IndexedCache;
  rollouts: RolloutIndex;
  events: EventFilter;
}

/** The resources that Shiplog follows in a cluster, each once, with the readers of their objects. */
export function resourceReaders(
  options: ReaderOptions,
): { type: ResourceType; reader: ObjectReader<unknown> }[] {
  const registry = new ReaderRegistry();
  for (const kind of options.kinds) {
    registry.add<Workload>(kind.resource, {
      ingest: (object) => ingestWorkload(kind, object, options.ingest),
      apply: (change) => options.cache.changeWorkload(change),
    });
  }
  for (const sources of sourcesByResource(options.kinds).values()) {
    const [first] = sources;
    if (first === undefined) continue;
    registry.add<RevisionSource>(first.resource, {
      ingest: (object) => ingestAnySource(sources, object, options.ingest),
      apply: (change) => options.cache.changeSource(change),
    });
  }
  for (const system of options.systems) addSystem(registry, system, options.rollouts);
  registry.add<PodSummary>(pods, {
    ingest: ingestPod,
    apply: (change) => options.cache.changePod(change),
  });
  registry.add<IngestedEvent>(events, {
    ingest: ingestEvent,
    apply: (change) => options.events.change(change),
  });
  return registry.all();
}

function addSystem(registry: ReaderRegistry, system: RolloutSystem, rollouts: RolloutIndex): void {
  const { resource, relatedObjects, records } = system;
  registry.add<RolloutObject>(resource, {
    ingest: (object) => system.parse(object),
    apply: (change) => rollouts.changeRollout(change),
  });
  for (const entry of relatedObjects) {
    registry.add<RelatedObject>(entry.resource, {
      ingest: (object) => entry.parse(object),
      apply: (change) => rollouts.changeRelatedObject(change),
    });
  }
  if (records === null) return;
  registry.add<ControllerRecord>(records.resource, {
    ingest: (object) => records.parse(object, semanticIdOf),
    apply: (change) => rollouts.changeRecord(change),
  });
}

/** A resource may be a kind of workload and of progressive rollout at the same time. */
class ReaderRegistry {
  readonly #readers = new Map<string, { type: ResourceType; readers: ObjectReader<unknown>[] }>();

  add<T>(type: ResourceType, reader: ObjectReader<T>): void {
    const entry = this.#readers.get(type.id) ?? { type, readers: [] };
    entry.readers.push(reader);
    this.#readers.set(type.id, entry);
  }

  all(): { type: ResourceType; reader: ObjectReader<unknown> }[] {
    return [...this.#readers.values()].map(({ type, readers }) => ({
      type,
      reader: combineReaders(readers),
    }));
  }
}
