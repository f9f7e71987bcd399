import { sendVerdicts } from '@/components/queries/review';
import { errorText } from '@/components/ui/error-state';
import { VERDICTS_MAX } from '@/lib/api/review-values';
import type { BulkReviewRequest, ReviewItem } from '@/lib/api/review';
import type { QueuedRecord } from '@/lib/api/review-queue';

export interface UnsavedVerdict {
  record: QueuedRecord;
  message: string;
  /** Another reviewer's, where that is the reason. */
  review: ReviewItem | null;
}

/**
 * Saves one verdict on many records with one request (several where they are more than it may have), each for the version
 * of its review that the reviewer saw. Returns those that stay as they were.
 */
export async function saveVerdicts(
  records: readonly QueuedRecord[],
  verdict: Omit<BulkReviewRequest, 'records'>,
  keyOf: (body: BulkReviewRequest) => string,
  send = sendVerdicts,
): Promise<UnsavedVerdict[]> {
  const unsaved: UnsavedVerdict[] = [];
  for (let first = 0; first < records.length; first += VERDICTS_MAX) {
    const part = records.slice(first, first + VERDICTS_MAX);
    const body = {
      ...verdict,
      records: part.map(({ id, review }) => ({ id, ifVersion: review.version })),
    };
    try {
      const { items } = await send(body, keyOf(body));
      for (const [index, { error, review }] of items.entries()) {
        const record = part[index];
        if (error !== null && record !== undefined) unsaved.push({ record, message: error, review });
      }
    } catch (error) {
      return [
        ...unsaved,
        ...records.slice(first).map((record) => ({ record, message: errorText(error), review: null })),
      ];
    }
  }
  return unsaved;
}
