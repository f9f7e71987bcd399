import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { ArchivedActivation, ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import type { Archive, IncarnationRecording } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import type { RecorderArchive } from '@/server/recorder/recorder';

const LEASE_MS = 10_000;

/** What a recorder uses of an archive, in memory, in turns of a virtual clock; tests can make it fail. */
export class MemoryArchive implements RecorderArchive {
  readonly incarnationsByUid = new Map<string, WorkloadIncarnation>();
  readonly bodies = new Map<string, JsonObject>();
  readonly records = new Map<string, RolloutRecord>();
  readonly #revisions = new Map<string, Map<string, ArchivedRevision>>();
  readonly #activations = new Map<string, Map<number, ArchivedActivation>>();
  readonly #leases = new Map<string, { holder: string; epoch: number; until: number }>();
  readonly clustersSeen: string[] = [];
  /** Every call rejects with it while it is set. */
  failure: AppError | null = null;
  transactions = 0;

  readonly leases: RecorderArchive['leases'] = {
    acquire: (holder, nowMs, cluster) =>
      this.#answer(() => {
        const held = this.#leases.get(cluster) ?? { holder: '', epoch: 0, until: 0 };
        if (held.holder !== holder && held.until > nowMs) return null;
        const epoch = held.holder === holder ? held.epoch : held.epoch + 1;
        this.#leases.set(cluster, { holder, epoch, until: nowMs + LEASE_MS });
        return { cluster, holder, epoch };
      }),
    release: ({ cluster, epoch }) =>
      this.#answer(() => {
        const held = this.#leases.get(cluster);
        if (held?.epoch === epoch) held.until = 0;
      }),
  };

  readonly clusters: RecorderArchive['clusters'] = {
    saw: ({ id }) => this.#answer(() => void this.clustersSeen.push(id)),
  };

  readonly workloads: RecorderArchive['workloads'] = {
    incarnations: (cluster, resource, namespace, name) =>
      this.#answer(() =>
        [...this.incarnationsByUid.values()].filter(
          (incarnation) =>
            incarnation.cluster === cluster &&
            incarnation.resource === resource &&
            incarnation.namespace === namespace &&
            incarnation.name === name,
        ),
      ),
    currentIncarnations: (cluster) =>
      this.#answer(() =>
        [...this.incarnationsByUid.values()].filter(
          (incarnation) => incarnation.cluster === cluster && incarnation.deletedAt === null,
        ),
      ),
    activations: ({ uid }) =>
      this.#answer(() => [...(this.#activations.get(uid)?.values() ?? [])].sort((a, b) => a.index - b.index)),
  };

  readonly revisions: RecorderArchive['revisions'] = {
    of: ({ uid }) => this.#answer(() => [...(this.#revisions.get(uid)?.values() ?? [])]),
    body: (hash) => this.#answer(() => this.bodies.get(hash) ?? null),
    unmaskedBodies: (hashes) => this.#answer(() => new Set(hashes.filter((hash) => this.bodies.has(hash)))),
  };

  readonly rollouts: RecorderArchive['rollouts'] & Pick<Archive['rollouts'], 'summaries'> = {
    byId: (id) =>
      this.#answer(() => {
        const record = this.records.get(id);
        return record === undefined ? null : { record, revertedBy: null, review: null, comments: 0 };
      }),
    summaries: ({ uid }, limit) =>
      this.#answer(() => this.#recordsBefore(uid, Infinity).slice(-limit).map(summarizeRecord)),
    transitions: ({ uid }, beforeActivation, limit) =>
      this.#answer(() =>
        this.#recordsBefore(uid, beforeActivation)
          .slice(-limit)
          .map(({ id, from, to }) => ({ id, from, to })),
      ),
  };

  record({ cluster, epoch }: Lease, recordings: readonly IncarnationRecording[]): Promise<void> {
    return this.#answer(() => {
      if (epoch !== this.#leases.get(cluster)?.epoch)
        throw new AppError('conflict', 'Another recorder has taken over.');
      this.transactions += 1;
      for (const { incarnation, revisions, activations, records, bodies = [] } of recordings) {
        this.incarnationsByUid.set(incarnation.uid, incarnation);
        for (const { revision, body } of revisions) {
          putIn(this.#revisions, incarnation.uid, revision.id, revision);
          if (body !== null) this.bodies.set(revision.hash, body);
        }
        for (const { hash, body } of bodies) this.bodies.set(hash, body);
        for (const activation of activations)
          putIn(this.#activations, incarnation.uid, activation.index, activation);
        for (const record of records) this.records.set(record.id, record);
      }
    });
  }

  /** In the order of their activations. */
  recordsOfName(name: string): RolloutRecord[] {
    return this.#sortedRecords(({ workload }) => workload.name === name);
  }

  #recordsBefore(uid: string, beforeActivation: number): RolloutRecord[] {
    return this.#sortedRecords(
      ({ workload, activation }) => workload.uid === uid && activation < beforeActivation,
    );
  }

  #sortedRecords(matches: (record: RolloutRecord) => boolean): RolloutRecord[] {
    return [...this.records.values()].filter(matches).sort((a, b) => a.activation - b.activation);
  }

  async #answer<T>(answer: () => T): Promise<T> {
    await Promise.resolve();
    if (this.failure !== null) throw this.failure;
    return structuredClone(answer());
  }
}

function putIn<K, V>(map: Map<string, Map<K, V>>, uid: string, key: K, value: V): void {
  map.set(uid, (map.get(uid) ?? new Map<K, V>()).set(key, value));
}
