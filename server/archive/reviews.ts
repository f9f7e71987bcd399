import 'server-only';
import { AppError } from '@/lib/errors';
import { type Review, type Verdict } from '@/lib/ledger/review';
import { type Notice } from '@/server/archive/archive';
import { parseDocument, toMs } from '@/server/archive/codec';
import { insertComment, requireBody } from '@/server/archive/comments';
import { reviewSchema } from '@/server/archive/documents';
import { lockedRecord } from '@/server/archive/locked-record';
import { saveNotices } from '@/server/archive/outbox';
import { type ArchiveDatabase, type ArchiveTransaction } from '@/server/archive/schema';

/**
 * Replaces the verdict that `ifVersion` names, 0 being none, and adds what was said about it, both or neither. Throws
 * AppError `conflict`, the review that stands in `details.review`, where somebody else was quicker, and `not_found` for
 * an unknown record.
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
    const seq = await lockedRecord(transaction, engine, recordId);
    const row = await transaction
      .selectFrom('review')
      .select('document')
      .where('seq', '=', seq)
      .executeTakeFirst();
    const present = row === undefined ? null : parseDocument(reviewSchema, row.document);
    if ((present?.version ?? 0) !== ifVersion) throw outOfDate(present);
    const review = next(present, verdict);
    await writeReview(transaction, seq, review);
    if (comment !== undefined) {
      const { verdict: _, followUp: __, ...said } = verdict;
      const given = { recordId, ...said, body: comment, path: null, answers: null };
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

function next(present: Review | null, given: Verdict): Review {
  if (present === null) return { ...given, version: 1, history: [] };
  const { version, history, ...before } = present;
  return { ...given, version: version + 1, history: [...history, before] };
}

function outOfDate(present: Review | null): AppError {
  return new AppError(
    'conflict',
    present === null
      ? 'This record has no verdict yet. Look at it again and decide anew.'
      : `${present.by} has decided meanwhile. Look at that verdict before you replace it.`,
    { review: present },
  );
}
