import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { summarizeRecord, type RecordSummary } from '@/lib/records/record-summary';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadIncarnation,
} from '@/lib/records/record';
import {
  type Archive,
  type Lease,
  type ListedRecord,
  type IncarnationRecording,
  type RecordTransition,
} from '@/server/archive/archive';

const LEASE_MS = 10_000;

/** What a recorder uses of an archive, in memory; tests can make it fail. */
export class MemoryArchive implements Pick<
  Archive,
  | 'acquire'
  | 'leaseCluster'
  | 'release'
  | 'record'
  | 'incarnations'
  | 'currentIncarnations'
  | 'revisions'
  | 'activations'
  | 'recordSummaries'
  | 'recordById'
  | 'expire'
  | 'body'
  | 'unmaskedBodies'
> {
  readonly incarnationsByUid = new Map<string, WorkloadIncarnation>();
  readonly bodies = new Map<string, JsonObject>();
  readonly records = new Map<string, RolloutRecord>();
  readonly #revisions = new Map<string, Map<string, ArchivedRevision>>();
  readonly #activations = new Map<string, Map<number, ArchivedActivation>>();
  #lease = { holder: '', epoch: 0, until: 0, cluster: '' };
  /** Every call rejects with it while it is set. */
  failure: AppError | null = null;
  transactions = 0;

  leaseCluster(): Promise<string | null> {
    return this.#answer(() => this.#lease.cluster || null);
  }

  acquire(holder: string, nowMs: number, cluster: string): Promise<Lease | null> {
    return this.#answer(() => {
      if (this.#lease.holder !== holder && this.#lease.until > nowMs) return null;
      const epoch = this.#lease.holder === holder ? this.#lease.epoch : this.#lease.epoch + 1;
      this.#lease = { holder, epoch, until: nowMs + LEASE_MS, cluster };
      return { holder, epoch };
    });
  }

  release({ epoch }: Lease): Promise<void> {
    return this.#answer(() => {
      if (this.#lease.epoch === epoch) this.#lease.until = 0;
    });
  }

  record({ epoch }: Lease, recordings: readonly IncarnationRecording[]): Promise<void> {
    return this.#answer(() => {
      if (epoch !== this.#lease.epoch) throw new AppError('conflict', 'Another recorder has taken over.');
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

  incarnations(
    cluster: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<WorkloadIncarnation[]> {
    return this.#answer(() =>
      [...this.incarnationsByUid.values()].filter(
        (incarnation) =>
          incarnation.cluster === cluster &&
          incarnation.resource === resource &&
          incarnation.namespace === namespace &&
          incarnation.name === name,
      ),
    );
  }

  currentIncarnations(cluster: string): Promise<WorkloadIncarnation[]> {
    return this.#answer(() =>
      [...this.incarnationsByUid.values()].filter(
        (incarnation) => incarnation.cluster === cluster && incarnation.deletedAt === null,
      ),
    );
  }

  revisions(uid: string): Promise<ArchivedRevision[]> {
    return this.#answer(() => [...(this.#revisions.get(uid)?.values() ?? [])]);
  }

  activations(uid: string): Promise<ArchivedActivation[]> {
    return this.#answer(() =>
      [...(this.#activations.get(uid)?.values() ?? [])].sort((a, b) => a.index - b.index),
    );
  }

  recordSummaries(workloadUid: string, limit: number): Promise<RecordSummary[]> {
    return this.#answer(() =>
      [...this.records.values()]
        .filter(({ workload }) => workload.uid === workloadUid)
        .sort((a, b) => a.activation - b.activation)
        .slice(-limit)
        .map(summarizeRecord),
    );
  }

  transitions(workloadUid: string, beforeActivation: number, limit: number): Promise<RecordTransition[]> {
    return this.#answer(() =>
      [...this.records.values()]
        .filter(({ workload, activation }) => workload.uid === workloadUid && activation < beforeActivation)
        .sort((a, b) => a.activation - b.activation)
        .slice(-limit)
        .map(({ id, from, to }) => ({ id, from, to })),
    );
  }

  recordById(id: string): Promise<ListedRecord | null> {
    return this.#answer(() => {
      const record = this.records.get(id);
      return record === undefined ? null : { record, revertedBy: null, review: null, comments: 0 };
    });
  }

  body(hash: string): Promise<JsonObject | null> {
    return this.#answer(() => this.bodies.get(hash) ?? null);
  }

  unmaskedBodies(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#answer(() => new Set(hashes.filter((hash) => this.bodies.has(hash))));
  }

  expire(): Promise<{ bodies: number; series: number }> {
    return this.#answer(() => ({ bodies: 0, series: 0 }));
  }

  /** In the order of their activations. */
  recordsOfName(name: string): RolloutRecord[] {
    return [...this.records.values()]
      .filter(({ workload }) => workload.name === name)
      .sort((a, b) => a.activation - b.activation);
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
