import { type RolloutRecord } from '@/lib/ledger/record';
import { type Review } from '@/lib/ledger/review';

export const eventKinds = ['started', 'stuck', 'failed', 'rolledBack', 'badVerdict'] as const;
export type EventKind = (typeof eventKinds)[number];

/** Something about a rollout that others want to hear of. */
export interface NotifiedEvent {
  /** Made from the record and the kind: whoever finds the same event again gives it the same id. */
  id: string;
  kind: EventKind;
  /** RFC 3339. */
  at: string;
  record: RolloutRecord;
  /** Why it is stuck; null for other kinds. */
  reason: string | null;
  /** The rollout that took it back, where that is known. */
  revertedBy: RolloutRecord | null;
  review: Review | null;
}
