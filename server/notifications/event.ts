import type { EventKind } from '@/server/shared/webhooks';
import type { RolloutRecord } from '@/lib/api/record';
import type { Review } from '@/lib/api/review';

/** An event of a rollout that others want to be notified of. */
export interface NotifiedEvent {
  /** Derived from the record and the kind, so that the same event has the same id whenever it is found. */
  id: string;
  kind: EventKind;
  /** RFC 3339. */
  at: string;
  record: RolloutRecord;
  /** Why it is stalled; null for other kinds. */
  reason: string | null;
  /** The rollout that reverted it, where that is known. */
  revertedBy: RolloutRecord | null;
  review: Review | null;
}
