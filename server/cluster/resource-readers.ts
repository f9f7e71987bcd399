import 'server-only';
import { type ReleaseRecord } from '@/lib/rollout/release-record';
import { type BesideObject, type RolloutObject, type RolloutSystem } from '@/lib/rollout/system';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/workloads/pod';
import { type ResourceType } from '@/lib/workloads/resource';
import { sourcesByResource } from '@/lib/workloads/source-readers';
import { type RevisionSource, type Workload } from '@/lib/workloads/workload';
import { type IndexedCache } from '@/server/cluster/cluster-cache';
import { type EventIntake } from '@/server/cluster/event-intake';
import { eventSummaryOf, type EventHolder } from '@/server/cluster/event-summary';
import { ingestAnySource, ingestWorkload, semanticIdOf, type IngestContext } from '@/server/cluster/ingest';
import { markedPod } from '@/server/cluster/marked-pod';
import { type RolloutIndex } from '@/server/cluster/rollout-index';
import { joined, type Reader } from '@/server/cluster/shared-resource';

const pods: ResourceType = { id: 'pods', group: '', versions: ['v1'], plural: 'pods', kind: 'Pod' };
const events: ResourceType = { id: 'events', group: '', versions: ['v1'], plural: 'events', kind: 'Event' };

export interface ReaderParts {
  kinds: readonly WorkloadKind[];
  systems: readonly RolloutSystem[];
  ingest: IngestContext;
  cache: IndexedCache;
  rollouts: RolloutIndex;
  events: EventIntake;
}

/** What is followed of a cluster, each resource once, and what is done with each of its objects. */
export function resourceReaders(parts: ReaderParts): { type: ResourceType; reader: Reader<unknown> }[] {
  const gathered = new Gathered();
  for (const kind of parts.kinds) {
    gathered.add<Workload>(kind.resource, {
      ingest: (object) => ingestWorkload(kind, object, parts.ingest),
      apply: (change) => parts.cache.changeWorkload(change),
    });
  }
  for (const sources of sourcesByResource(parts.kinds).values()) {
    const [first] = sources;
    if (first === undefined) continue;
    gathered.add<RevisionSource>(first.resource, {
      ingest: (object) => ingestAnySource(sources, object, parts.ingest),
      apply: (change) => parts.cache.changeSource(change),
    });
  }
  for (const system of parts.systems) addSystem(gathered, system, parts.rollouts);
  gathered.add<PodSummary>(pods, {
    ingest: markedPod,
    apply: (change) => parts.cache.changePod(change),
  });
  gathered.add<EventHolder>(events, {
    ingest: eventSummaryOf,
    apply: (change) => parts.events.change(change),
  });
  return gathered.all();
}

function addSystem(gathered: Gathered, system: RolloutSystem, rollouts: RolloutIndex): void {
  const { resource, beside, records } = system;
  gathered.add<RolloutObject>(resource, {
    ingest: (object) => system.parse(object),
    apply: (change) => rollouts.changeRollout(change),
  });
  for (const entry of beside) {
    gathered.add<BesideObject>(entry.resource, {
      ingest: (object) => entry.parse(object),
      apply: (change) => rollouts.changeBeside(change),
    });
  }
  if (records === null) return;
  gathered.add<ReleaseRecord>(records.resource, {
    ingest: (object) => records.parse(object, semanticIdOf),
    apply: (change) => rollouts.changeRecord(change),
  });
}

/** A resource may be a kind of workload and a system of rollouts at the same time. */
class Gathered {
  readonly #readers = new Map<string, { type: ResourceType; readers: Reader<unknown>[] }>();

  add<T>(type: ResourceType, reader: Reader<T>): void {
    const known = this.#readers.get(type.id) ?? { type, readers: [] };
    known.readers.push(reader);
    this.#readers.set(type.id, known);
  }

  all(): { type: ResourceType; reader: Reader<unknown> }[] {
    return [...this.#readers.values()].map(({ type, readers }) => ({ type, reader: joined(readers) }));
  }
}
