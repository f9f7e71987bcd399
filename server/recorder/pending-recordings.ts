import 'server-only';
import type { JsonObject } from '@/lib/kube/json';
import type { RecordedChanges } from '@/lib/records/observation';
import type { ArchivedActivation, ArchivedRevision, WorkloadIncarnation } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import type { IncarnationRecording } from '@/server/archive/archive';
import type { Notice } from '@/server/archive/outbox';

/** Of one incarnation, the latest state. */
const NOTICES_MAX = 100;

interface PendingRecording {
  incarnation: WorkloadIncarnation;
  revisions: Map<string, { revision: ArchivedRevision; body: JsonObject | null }>;
  activations: Map<number, ArchivedActivation>;
  records: Map<string, RolloutRecord>;
  bodies: Map<string, JsonObject>;
  notices: Map<string, Notice>;
}

/** What waits to be recorded: the latest state of each item, so that an outage costs no more than what changed. */
export class PendingRecordings {
  readonly #pending = new Map<string, PendingRecording>();

  get size(): number {
    return this.#pending.size;
  }

  add(
    incarnation: WorkloadIncarnation,
    changes: RecordedChanges,
    bodyOf: (revision: ArchivedRevision) => JsonObject | null,
    notices: readonly Notice[] = [],
    bodies: readonly { hash: string; body: JsonObject }[] = [],
  ): void {
    const { revisions, activations, records } = changes;
    if (changes.incarnation === null && revisions.length + activations.length + records.length === 0) return;
    this.#merge({
      incarnation,
      revisions: revisions.map((revision) => ({ revision, body: bodyOf(revision) })),
      activations,
      records,
      bodies,
      notices,
    });
  }

  /** Removes and returns the first `count`. */
  takeBatch(count: number): IncarnationRecording[] {
    return [...this.#pending.keys()].slice(0, count).flatMap((uid) => this.#remove(uid));
  }

  /** Puts back what could not be recorded, without replacing newer states. */
  putBack(recordings: readonly IncarnationRecording[]): void {
    for (const recording of recordings) {
      const [newer] = this.#remove(recording.incarnation.uid);
      this.#merge(recording);
      if (newer !== undefined) this.#merge(newer);
    }
  }

  clear(): void {
    this.#pending.clear();
  }

  #remove(uid: string): IncarnationRecording[] {
    const pending = this.#pending.get(uid);
    if (pending === undefined) return [];
    this.#pending.delete(uid);
    const { incarnation, revisions, activations, records, bodies, notices } = pending;
    return [
      {
        incarnation,
        revisions: [...revisions.values()],
        activations: [...activations.values()],
        records: [...records.values()],
        bodies: [...bodies].map(([hash, body]) => ({ hash, body })),
        notices: [...notices.values()],
      },
    ];
  }

  #merge({
    incarnation,
    revisions,
    activations,
    records,
    bodies = [],
    notices = [],
  }: IncarnationRecording): void {
    const pending: PendingRecording = this.#pending.get(incarnation.uid) ?? {
      incarnation,
      revisions: new Map(),
      activations: new Map(),
      records: new Map(),
      bodies: new Map(),
      notices: new Map(),
    };
    pending.incarnation = incarnation;
    for (const { revision, body } of revisions) {
      const known = pending.revisions.get(revision.id)?.body ?? null;
      pending.revisions.set(revision.id, { revision, body: body ?? known });
    }
    for (const activation of activations) pending.activations.set(activation.index, activation);
    for (const record of records) pending.records.set(record.id, record);
    for (const { hash, body } of bodies) pending.bodies.set(hash, body);
    for (const notice of notices) pending.notices.set(notice.id, notice);
    for (const id of pending.notices.keys()) {
      if (pending.notices.size <= NOTICES_MAX) break;
      pending.notices.delete(id);
    }
    this.#pending.set(incarnation.uid, pending);
  }
}
