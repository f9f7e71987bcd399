import 'server-only';
import { AppError } from '@/lib/errors';
import { type Review, type Verdict } from '@/lib/records/review';
import { type Notice } from '@/server/archive/archive';
import { parseDocument, toMs } from '@/server/archive/column-values';
import { insertComment, requireBody } from '@/server/archive/comments';
import { reviewSchema } from '@/server/archive/document-schemas';
import { lockRecord } from '@/server/archive/lock-record';
import { saveNotices } from '@/server/archive/outbox';
import { type ArchiveDatabase, type ArchiveTransaction } from '@/server/archive/migrations/schema';

/**
 * Replaces the verdict that `ifVersion` names, 0 being none, and adds its comment, both or neither. Throws AppError
 * `conflict`, with the current review in `details.review`, where another viewer decided first, and `not_found` for an
 * unknown record.
 */
export async function saveReview(
  { engine, db }: ArchiveDatabase,
  recordId: string,
  verdict: Verdict,
  ifVersion: number,
  comment?: string,
  noticesOf: (review: Review) => readonly Notice[] = () => [],
): Promise<Review> {
  if (comment !== undefined) requireBody(comment);
  return db.transaction().execute(async (transaction) => {
    const seq = await lockRecord(transaction, engine, recordId);
    const row = await transaction
      .selectFrom('review')
      .select('document')
      .where('seq', '=', seq)
      .executeTakeFirst();
    const current = row === undefined ? null : parseDocument(reviewSchema, row.document);
    if ((current?.version ?? 0) !== ifVersion) throw reviewConflict(current);
    const review = nextReview(current, verdict);
    await writeReview(transaction, seq, review);
    if (comment !== undefined) {
      const { verdict: _, followUp: __, ...authorship } = verdict;
      const given = { recordId, ...authorship, body: comment, path: null, answers: null };
      await insertComment(transaction, seq, given);
    }
    await saveNotices(transaction, noticesOf(review), toMs(verdict.at) ?? 0);
    return review;
  });
}

export async function writeReview(
  transaction: ArchiveTransaction,
  seq: number,
  review: Review,
): Promise<void> {
  const due = review.followUp?.due ?? null;
  const row = { version: review.version, document: JSON.stringify(review), due };
  await transaction
    .insertInto('review')
    .values({ seq, ...row })
    .onConflict((conflict) => conflict.column('seq').doUpdateSet(row))
    .execute();
  await transaction.updateTable('record').set({ reviewed: 1 }).where('seq', '=', seq).execute();
}

function nextReview(current: Review | null, given: Verdict): Review {
  if (current === null) return { ...given, version: 1, history: [] };
  const { version, history, ...before } = current;
  return { ...given, version: version + 1, history: [...history, before] };
}

function reviewConflict(current: Review | null): AppError {
  return new AppError(
    'conflict',
    current === null
      ? 'This record has no verdict yet. Look at it again and decide anew.'
      : `${current.by} has decided meanwhile. Look at that verdict before you replace it.`,
    { review: current },
  );
}
