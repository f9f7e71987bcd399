import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { markOfRecord, type RecordMark } from '@/lib/ledger/mark';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import {
  type Archive,
  type Lease,
  type ListedRecord,
  type Recording,
  type RecordPassage,
} from '@/server/archive/archive';

const LEASE_MS = 10_000;

/** The part of an archive that a recorder uses, in memory; it can be told to fail. */
export class MemoryArchive implements Pick<
  Archive,
  | 'acquire'
  | 'leaseCluster'
  | 'release'
  | 'record'
  | 'lives'
  | 'openLives'
  | 'revisions'
  | 'activations'
  | 'marks'
  | 'recordById'
  | 'expire'
  | 'body'
  | 'wholeBodies'
> {
  readonly livesByUid = new Map<string, WorkloadLife>();
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

  record({ epoch }: Lease, recordings: readonly Recording[]): Promise<void> {
    return this.#answer(() => {
      if (epoch !== this.#lease.epoch) throw new AppError('conflict', 'Another recorder has taken over.');
      this.transactions += 1;
      for (const { life, revisions, activations, records, bodies = [] } of recordings) {
        this.livesByUid.set(life.uid, life);
        for (const { revision, body } of revisions) {
          putIn(this.#revisions, life.uid, revision.id, revision);
          if (body !== null) this.bodies.set(revision.hash, body);
        }
        for (const { hash, body } of bodies) this.bodies.set(hash, body);
        for (const activation of activations)
          putIn(this.#activations, life.uid, activation.index, activation);
        for (const record of records) this.records.set(record.id, record);
      }
    });
  }

  lives(cluster: string, resource: string, namespace: string, name: string): Promise<WorkloadLife[]> {
    return this.#answer(() =>
      [...this.livesByUid.values()].filter(
        (life) =>
          life.cluster === cluster &&
          life.resource === resource &&
          life.namespace === namespace &&
          life.name === name,
      ),
    );
  }

  openLives(cluster: string): Promise<WorkloadLife[]> {
    return this.#answer(() =>
      [...this.livesByUid.values()].filter((life) => life.cluster === cluster && life.deletedAt === null),
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

  marks(workloadUid: string, limit: number): Promise<RecordMark[]> {
    return this.#answer(() =>
      [...this.records.values()]
        .filter(({ workload }) => workload.uid === workloadUid)
        .sort((a, b) => a.activation - b.activation)
        .slice(-limit)
        .map(markOfRecord),
    );
  }

  passages(workloadUid: string, beforeActivation: number, limit: number): Promise<RecordPassage[]> {
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

  wholeBodies(hashes: readonly string[]): Promise<ReadonlySet<string>> {
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
