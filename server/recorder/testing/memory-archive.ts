import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type WorkloadIncarnation,
} from '@/lib/api/incarnation';
import { type RolloutRecord } from '@/lib/api/record';
import { type Archive, type IncarnationRecording } from '@/server/archive/archive';
import { type Lease } from '@/server/archive/lease';
import { type RecorderArchive } from '@/server/recorder/recorder';

const LEASE_MS = 10_000;

/** What a recorder uses of an archive, in memory, in turns of a virtual clock; tests can make it fail. */
export class MemoryArchive implements RecorderArchive {
  readonly incarnationsByUid = new Map<string, WorkloadIncarnation>();
  readonly bodies = new Map<string, JsonObject>();
  readonly records = new Map<string, RolloutRecord>();
  readonly #revisions = new Map<string, Map<string, ArchivedRevision>>();
  readonly #activations = new Map<string, Map<number, ArchivedActivation>>();
  #lease = { holder: '', epoch: 0, until: 0, cluster: '' };
  /** Every call rejects with it while it is set. */
  failure: AppError | null = null;
  transactions = 0;

  readonly lease: RecorderArchive['lease'] = {
    cluster: () => this.#answer(() => this.#lease.cluster || null),
    acquire: (holder, nowMs, cluster) =>
      this.#answer(() => {
        if (this.#lease.holder !== holder && this.#lease.until > nowMs) return null;
        const epoch = this.#lease.holder === holder ? this.#lease.epoch : this.#lease.epoch + 1;
        this.#lease = { holder, epoch, until: nowMs + LEASE_MS, cluster };
        return { holder, epoch };
      }),
    release: ({ epoch }) =>
      this.#answer(() => {
        if (this.#lease.epoch === epoch) this.#lease.until = 0;
      }),
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
    activations: (uid) =>
      this.#answer(() => [...(this.#activations.get(uid)?.values() ?? [])].sort((a, b) => a.index - b.index)),
  };

  readonly revisions: RecorderArchive['revisions'] = {
    of: (uid) => this.#answer(() => [...(this.#revisions.get(uid)?.values() ?? [])]),
    body: (hash) => this.#answer(() => this.bodies.get(hash) ?? null),
    unmaskedBodies: (hashes) => this.#answer(() => new Set(hashes.filter((hash) => this.bodies.has(hash)))),
  };

  readonly rollouts: RecorderArchive['rollouts'] & Pick<Archive['rollouts'], 'summaries'> = {
    byId: (id) =>
      this.#answer(() => {
        const record = this.records.get(id);
        return record === undefined ? null : { record, revertedBy: null, review: null, comments: 0 };
      }),
    summaries: (uid, limit) =>
      this.#answer(() => this.#recordsBefore(uid, Infinity).slice(-limit).map(summarizeRecord)),
    transitions: (uid, beforeActivation, limit) =>
      this.#answer(() =>
        this.#recordsBefore(uid, beforeActivation)
          .slice(-limit)
          .map(({ id, from, to }) => ({ id, from, to })),
      ),
  };

  readonly retention: RecorderArchive['retention'] = {
    expire: () => this.#answer(() => ({ bodies: 0, series: 0 })),
  };

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
