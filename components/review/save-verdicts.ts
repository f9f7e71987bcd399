import { sendVerdict } from '@/components/queries/review';
import { errorText } from '@/components/ui/error-state';
import { conflictingReview } from '@/components/review/conflicting-review';
import type { ReviewItem, ReviewRequest } from '@/lib/api/review';
import type { QueuedRecord } from '@/lib/api/review-queue';
import { AppError } from '@/lib/errors';

/** Few enough that others are served meanwhile; a request takes some milliseconds. */
const CONCURRENT_MAX = 4;

export interface UnsavedVerdict {
  record: QueuedRecord;
  message: string;
  /** Another reviewer's, where that is the reason. */
  review: ReviewItem | null;
}

/**
 * Saves one verdict on many records, each for the version of its review that the reviewer saw. What fails stays as it
 * was and is returned; the others are saved. Once Shiplog cannot be reached, the rest is not tried. `keyOf` returns the
 * same key for a repeated attempt.
 */
export async function saveVerdicts(
  records: readonly QueuedRecord[],
  verdict: Omit<ReviewRequest, 'ifVersion'>,
  {
    keyOf,
    onSaved,
    send = sendVerdict,
  }: {
    keyOf: (id: string, body: ReviewRequest) => string;
    onSaved: (record: QueuedRecord) => void;
    send?: typeof sendVerdict;
  },
): Promise<UnsavedVerdict[]> {
  const waiting = [...records];
  const unsaved: UnsavedVerdict[] = [];
  let unreachable: string | null = null;
  async function work() {
    for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
      if (unreachable !== null) {
        unsaved.push({ record, message: unreachable, review: null });
        continue;
      }
      const body = { ...verdict, ifVersion: record.review.version };
      try {
        await send(record.id, body, keyOf(record.id, body));
        onSaved(record);
      } catch (error) {
        if (error instanceof AppError && error.details.offline === true) unreachable = errorText(error);
        unsaved.push({ record, message: errorText(error), review: conflictingReview(error) });
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_MAX }, work));
  const order = new Map(records.map(({ id }, index) => [id, index]));
  return unsaved.sort((a, b) => (order.get(a.record.id) ?? 0) - (order.get(b.record.id) ?? 0));
}
