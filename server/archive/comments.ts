import 'server-only';
import { randomUUID } from 'node:crypto';
import { AppError } from '@/lib/errors';
import { type Author, COMMENT_CHARS_MAX, type ReviewComment } from '@/lib/records/review';
import { parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import { commentSchema } from '@/server/archive/document-schemas';
import { unknownRecord } from '@/server/archive/records';
import { lockRecord } from '@/server/archive/lock-record';
import {
  type ArchiveDatabase,
  type ArchiveDb,
  type ArchiveTransaction,
} from '@/server/archive/migrations/schema';

/** A record is no forum: a page of more comments would be of no use. */
const COMMENTS_MAX = 500;
/** Each earlier text is stored. */
const EDITS_MAX = 50;

/** Those of one record, oldest first. Throws AppError `not_found` for an unknown record. */
export async function commentsOf(db: ArchiveDb, recordId: string): Promise<ReviewComment[]> {
  const record = await db
    .selectFrom('record')
    .select('seq')
    .where('id', '=', toColumn(recordId))
    .executeTakeFirst();
  if (record === undefined) throw unknownRecord(recordId);
  const rows = await db
    .selectFrom('comment')
    .select('document')
    .where('seq', '=', record.seq)
    .orderBy('at_ms')
    .orderBy('id')
    .execute();
  return rows.map(({ document }) => parseDocument(commentSchema, document));
}

/**
 * Throws AppError `not_found` for an unknown record, `too_large` or `bad_request` for a body that can't be stored,
 * `too_large` where the record has the most comments that it can have, and `bad_request` where it replies to a comment
 * of another record.
 */
export async function addComment(
  { engine, db }: ArchiveDatabase,
  newComment: Omit<ReviewComment, 'id' | 'edits'>,
): Promise<ReviewComment> {
  requireBody(newComment.body);
  return db.transaction().execute(async (transaction) => {
    const seq = await lockRecord(transaction, engine, newComment.recordId);
    if (newComment.answers !== null) await requireParentComment(transaction, seq, newComment.answers);
    return insertComment(transaction, seq, newComment);
  });
}

/** Within the transaction that has locked the record. */
export async function insertComment(
  transaction: ArchiveTransaction,
  seq: number,
  newComment: Omit<ReviewComment, 'id' | 'edits'>,
): Promise<ReviewComment> {
  await requireRoom(transaction, seq);
  const comment: ReviewComment = { id: randomUUID(), ...newComment, edits: [] };
  await transaction.insertInto('comment').values(rowOfComment(seq, comment)).execute();
  return comment;
}

export function rowOfComment(seq: number, comment: ReviewComment) {
  return { id: toColumn(comment.id), seq, at_ms: toMs(comment.at) ?? 0, document: JSON.stringify(comment) };
}

/** Stores the earlier text among its edits. Throws AppError `not_found` for an unknown comment. */
export async function editComment(
  { engine, db }: ArchiveDatabase,
  id: string,
  body: string,
  edit: Author & { at: string },
): Promise<ReviewComment> {
  requireBody(body);
  return db.transaction().execute(async (transaction) => {
    const query = transaction.selectFrom('comment').select('document').where('id', '=', toColumn(id));
    const row = await (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
    if (row === undefined) throw new AppError('not_found', 'There is no comment with this id.', { id });
    const current = parseDocument(commentSchema, row.document);
    if (current.edits.length >= EDITS_MAX)
      throw new AppError(
        'too_large',
        `This comment has been rewritten ${EDITS_MAX} times, and each earlier text is kept. Nothing was written; answer it instead.`,
        { max: EDITS_MAX },
      );
    const comment: ReviewComment = {
      ...current,
      body,
      edits: [...current.edits, { ...edit, body: current.body }],
    };
    await transaction
      .updateTable('comment')
      .set({ document: JSON.stringify(comment) })
      .where('id', '=', toColumn(id))
      .execute();
    return comment;
  });
}

async function requireRoom(transaction: ArchiveTransaction, seq: number): Promise<void> {
  const { count } = await transaction
    .selectFrom('comment')
    .select((of) => of.fn.countAll().as('count'))
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  if (Number(count) < COMMENTS_MAX) return;
  throw new AppError(
    'too_large',
    `This record has ${COMMENTS_MAX} comments, the most that one can have. Nothing was written; continue where there is room, and link to the record.`,
    { max: COMMENTS_MAX },
  );
}

export function requireBody(body: string): void {
  if (body.length > COMMENT_CHARS_MAX)
    throw new AppError(
      'too_large',
      `A comment holds up to ${COMMENT_CHARS_MAX} characters, and this one has ${body.length}. Shorten it, or link to the rest.`,
      { max: COMMENT_CHARS_MAX, length: body.length },
    );
  if (body.trim() === '') throw new AppError('bad_request', 'A comment needs a text.');
}

async function requireParentComment(db: ArchiveDb, seq: number, id: string): Promise<void> {
  const row = await db
    .selectFrom('comment')
    .select('id')
    .where('id', '=', toColumn(id))
    .where('seq', '=', seq)
    .executeTakeFirst();
  if (row === undefined)
    throw new AppError('bad_request', 'The comment that this one answers is not of the same record.', {
      answers: id,
    });
}
