import 'server-only';
import { type JsonObject } from '@/lib/kube/json';
import { type Changes } from '@/lib/ledger/observation';
import {
  type ArchivedActivation,
  type ArchivedRevision,
  type RolloutRecord,
  type WorkloadLife,
} from '@/lib/ledger/record';
import { type Notice, type Recording } from '@/server/archive/archive';

/** Of one life, the latest. */
const NOTICES_MAX = 100;

interface Waiting {
  life: WorkloadLife;
  revisions: Map<string, { revision: ArchivedRevision; body: JsonObject | null }>;
  activations: Map<number, ArchivedActivation>;
  records: Map<string, RolloutRecord>;
  bodies: Map<string, JsonObject>;
  notices: Map<string, Notice>;
}

/** What waits to be recorded: of each thing the latest, so that an outage costs no more than what changed in it. */
export class Pending {
  readonly #waiting = new Map<string, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  add(
    life: WorkloadLife,
    changes: Changes,
    bodyOf: (revision: ArchivedRevision) => JsonObject | null,
    notices: readonly Notice[] = [],
    bodies: readonly { hash: string; body: JsonObject }[] = [],
  ): void {
    const { revisions, activations, records } = changes;
    if (changes.life === null && revisions.length + activations.length + records.length === 0) return;
    this.#merge({
      life,
      revisions: revisions.map((revision) => ({ revision, body: bodyOf(revision) })),
      activations,
      records,
      bodies,
      notices,
    });
  }

  /** The first so many, which from then on are no longer kept here. */
  take(count: number): Recording[] {
    return [...this.#waiting.keys()].slice(0, count).flatMap((uid) => this.#takeOf(uid));
  }

  /** Puts back what could not be recorded, beneath what has come since. */
  putBack(recordings: readonly Recording[]): void {
    for (const recording of recordings) {
      const [newer] = this.#takeOf(recording.life.uid);
      this.#merge(recording);
      if (newer !== undefined) this.#merge(newer);
    }
  }

  clear(): void {
    this.#waiting.clear();
  }

  #takeOf(uid: string): Recording[] {
    const waiting = this.#waiting.get(uid);
    if (waiting === undefined) return [];
    this.#waiting.delete(uid);
    const { life, revisions, activations, records, bodies, notices } = waiting;
    return [
      {
        life,
        revisions: [...revisions.values()],
        activations: [...activations.values()],
        records: [...records.values()],
        bodies: [...bodies].map(([hash, body]) => ({ hash, body })),
        notices: [...notices.values()],
      },
    ];
  }

  #merge({ life, revisions, activations, records, bodies = [], notices = [] }: Recording): void {
    const waiting: Waiting = this.#waiting.get(life.uid) ?? {
      life,
      revisions: new Map(),
      activations: new Map(),
      records: new Map(),
      bodies: new Map(),
      notices: new Map(),
    };
    waiting.life = life;
    for (const { revision, body } of revisions) {
      const known = waiting.revisions.get(revision.id)?.body ?? null;
      waiting.revisions.set(revision.id, { revision, body: body ?? known });
    }
    for (const activation of activations) waiting.activations.set(activation.index, activation);
    for (const record of records) waiting.records.set(record.id, record);
    for (const { hash, body } of bodies) waiting.bodies.set(hash, body);
    for (const notice of notices) waiting.notices.set(notice.id, notice);
    for (const id of waiting.notices.keys()) {
      if (waiting.notices.size <= NOTICES_MAX) break;
      waiting.notices.delete(id);
    }
    this.#waiting.set(life.uid, waiting);
  }
}
