import 'server-only';
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { AppError } from '@/lib/errors';
import {
  type Author,
  type Review,
  type ReviewComment,
  type Verdict,
  commentSchema,
  reviewSchema,
} from '@/lib/api/review';
import { COMMENT_CHARS_MAX } from '@/lib/api/review-values';
import { chunksOf, formatDocument, parseDocument, toColumn, toMs } from '@/server/archive/column-values';
import type { ArchiveDb, ArchiveTransaction } from '@/server/archive/migrations/schema';
import { type Notice, saveNotices } from '@/server/archive/outbox';
import {
  type ListedRecord,
  listedRecordQuery,
  toListedRecord,
  unknownRecord,
} from '@/server/archive/records';
import { listOf, type RecordQuery, scopeFilter } from '@/server/archive/record-query';
import { MENTION_TERMS, mentionTerm } from '@/server/archive/search-terms';
import type { ArchiveSession } from '@/server/archive/session';

interface FollowUpQuery extends Pick<RecordQuery, 'clusters' | 'limit'> {
  /** Those assigned to one of these names, whatever the case of their Latin letters. Null: to anyone. */
  assignees: readonly string[] | null;
}

/** A record is no forum: a page of more comments would be of no use. */
const COMMENTS_MAX = 500;
/** Each earlier text is stored. */
const EDITS_MAX = 50;

/** Verdicts on records, and their comments. */
export class ReviewRepository {
  readonly #session: ArchiveSession;
  #saved = 0;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** How many verdicts this process has saved: what is kept of an answer with verdicts ends with the next one. */
  get saved(): number {
    return this.#saved;
  }

  /**
   * Replaces the verdict that `ifVersion` names, 0 being none, and adds its comment, both or neither. Throws AppError
   * `conflict`, with the current review in `details.review`, where another viewer decided first, and `not_found` for an
   * unknown record.
   */
  async save(
    recordId: string,
    verdict: Verdict,
    ifVersion: number,
    comment?: Pick<ReviewComment, 'body' | 'mentions'>,
    /** Notifications about it, stored in the same transaction. */
    noticesOf: (review: Review) => readonly Notice[] = () => [],
  ): Promise<Review> {
    if (comment !== undefined) requireBody(comment.body);
    const saved = await this.#session.transaction(async (transaction) => {
      const seq = await this.#lockRecord(transaction, recordId);
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
        const given = { recordId, ...authorship, ...comment, path: null, answers: null };
        await insertComment(transaction, seq, given);
      }
      await saveNotices(transaction, noticesOf(review), toMs(verdict.at) ?? 0);
      return review;
    });
    this.#saved += 1;
    return saved;
  }

  /** Records whose current verdict asks for a follow-up, the one due first in front; without samples. */
  async followUps({ limit, ...query }: FollowUpQuery): Promise<ListedRecord[]> {
    const rows = await this.#session.run((db) =>
      listedRecordQuery(db)
        .where('review.due', 'is not', null)
        .where(this.#isListed(query))
        .orderBy('review.due')
        .orderBy('record.seq')
        .limit(limit)
        .execute(),
    );
    return rows.map(toListedRecord);
  }

  async followUpCount(query: Omit<FollowUpQuery, 'limit'>): Promise<number> {
    const { count } = await this.#session.run((db) =>
      db
        .selectFrom('review')
        .innerJoin('record', 'record.seq', 'review.seq')
        .select((of) => of.fn.countAll().as('count'))
        .where('review.due', 'is not', null)
        .where(this.#isListed(query))
        .executeTakeFirstOrThrow(),
    );
    return Number(count);
  }

  #isListed({ clusters, assignees }: Omit<FollowUpQuery, 'limit'>): RawBuilder<SqlBool> {
    if (clusters.length === 0 || assignees?.length === 0) return sql`1 = 0`;
    const visible = clusters.map(
      (scope) => sql<SqlBool>`(record.cluster = ${toColumn(scope.cluster)} and ${scopeFilter(scope).holds})`,
    );
    const isVisible = sql<SqlBool>`(${sql.join(visible, sql` or `)})`;
    if (assignees === null) return isVisible;
    const isPostgres = this.#session.engine === 'postgres';
    const document = isPostgres ? sql`review.document::json` : sql`review.document`;
    const person = sql`trim(${document} -> 'followUp' ->> 'person')${isPostgres ? sql` collate "C"` : sql``}`;
    const names = listOf(assignees.map((name) => toColumn(foldLatin(name.trim()))));
    return sql`${isVisible} and lower(${person}) in (${names})`;
  }

  /** Those of one record, oldest first. Throws AppError `not_found` for an unknown record. */
  async comments(recordId: string): Promise<ReviewComment[]> {
    const rows = await this.#session.run(async (db) => {
      const record = await db
        .selectFrom('record')
        .select('seq')
        .where('id', '=', toColumn(recordId))
        .executeTakeFirst();
      if (record === undefined) throw unknownRecord(recordId);
      return db
        .selectFrom('comment')
        .select('document')
        .where('seq', '=', record.seq)
        .orderBy('at_ms')
        .orderBy('id')
        .execute();
    });
    return rows.map(({ document }) => parseDocument(commentSchema, document));
  }

  /**
   * Throws AppError `not_found` for an unknown record, `too_large` or `bad_request` for a body that can't be stored,
   * `too_large` where the record has the most comments that it can have, and `bad_request` where it replies to a
   * comment of another record.
   */
  async addComment(newComment: Omit<ReviewComment, 'id' | 'edits'>): Promise<ReviewComment> {
    requireBody(newComment.body);
    return this.#session.transaction(async (transaction) => {
      const seq = await this.#lockRecord(transaction, newComment.recordId);
      if (newComment.answers !== null) await requireParentComment(transaction, seq, newComment.answers);
      return insertComment(transaction, seq, newComment);
    });
  }

  /** Stores the earlier text among its edits. Throws AppError `not_found` for an unknown comment. */
  async editComment(
    id: string,
    { body, mentions }: Required<Pick<ReviewComment, 'body' | 'mentions'>>,
    edit: Author & { at: string },
  ): Promise<ReviewComment> {
    requireBody(body);
    return this.#session.transaction(async (transaction) => {
      const row = await transaction
        .selectFrom('comment')
        .select(['seq', 'document'])
        .where('id', '=', toColumn(id))
        .$if(this.#session.engine === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst();
      if (row === undefined) throw new AppError('not_found', 'Comment not found.', { id });
      const current = parseDocument(commentSchema, row.document);
      if (current.edits.length >= EDITS_MAX)
        throw new AppError(
          'too_large',
          `This comment has been rewritten ${EDITS_MAX} times, the maximum. Nothing was changed; reply to it instead.`,
          { max: EDITS_MAX },
        );
      const comment: ReviewComment = {
        ...current,
        body,
        mentions,
        edits: [...current.edits, { ...edit, body: current.body }],
      };
      await transaction
        .updateTable('comment')
        .set({ document: formatDocument(comment) })
        .where('id', '=', toColumn(id))
        .execute();
      await replaceMentions(transaction, row.seq);
      return comment;
    });
  }

  /** Its row number; locks the record's review and comments until the end of the transaction. */
  async #lockRecord(transaction: ArchiveTransaction, id: string): Promise<number> {
    const row = await transaction
      .selectFrom('record')
      .select('seq')
      .where('id', '=', toColumn(id))
      .$if(this.#session.engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    if (row === undefined) throw unknownRecord(id);
    return row.seq;
  }
}

export async function writeReview(
  transaction: ArchiveTransaction,
  seq: number,
  review: Review,
): Promise<void> {
  const due = review.followUp?.due ?? null;
  const row = { version: review.version, document: formatDocument(review), due };
  await transaction
    .insertInto('review')
    .values({ seq, ...row })
    .onConflict((conflict) => conflict.column('seq').doUpdateSet(row))
    .execute();
  await transaction.updateTable('record').set({ reviewed: 1 }).where('seq', '=', seq).execute();
}

/** As `lower` does on both engines. */
function foldLatin(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
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
      ? 'The record has no verdict now, so nothing was saved. Check it, then set your verdict again.'
      : `${current.by} set a verdict in the meantime, so nothing was saved. Check it before you replace it.`,
    { review: current },
  );
}

/** Within the transaction that has locked the record. */
async function insertComment(
  transaction: ArchiveTransaction,
  seq: number,
  newComment: Omit<ReviewComment, 'id' | 'edits'>,
): Promise<ReviewComment> {
  await requireRoom(transaction, seq);
  const comment: ReviewComment = { id: randomUUID(), ...newComment, edits: [] };
  await transaction.insertInto('comment').values(rowOfComment(seq, comment)).execute();
  await addMentions(transaction, seq, [comment]);
  return comment;
}

/** Adds the terms by which a record is found for the people whom comments on it mention. */
export async function addMentions(
  transaction: ArchiveTransaction,
  seq: number,
  comments: readonly ReviewComment[],
): Promise<void> {
  for (const chunk of chunksOf(mentionTermsOf(comments).map((term) => ({ term, seq }))))
    await transaction
      .insertInto('record_term')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** The same for all comments, after one of them has changed. */
async function replaceMentions(transaction: ArchiveTransaction, seq: number): Promise<void> {
  const rows = await transaction.selectFrom('comment').select('document').where('seq', '=', seq).execute();
  await transaction
    .deleteFrom('record_term')
    .where('seq', '=', seq)
    .where('term', 'like', MENTION_TERMS)
    .execute();
  await addMentions(
    transaction,
    seq,
    rows.map(({ document }) => parseDocument(commentSchema, document)),
  );
}

/** Sorted, each once. */
export function mentionTermsOf(comments: readonly ReviewComment[]): string[] {
  const ids = comments.flatMap(({ mentions = [] }) => mentions.map(({ id }) => id));
  return [...new Set(ids.map(mentionTerm))].sort();
}

export function rowOfComment(seq: number, comment: ReviewComment) {
  return { id: toColumn(comment.id), seq, at_ms: toMs(comment.at) ?? 0, document: formatDocument(comment) };
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
    `This record has ${COMMENTS_MAX} comments, the maximum. Nothing was changed; continue elsewhere and link to the record.`,
    { max: COMMENTS_MAX },
  );
}

function requireBody(body: string): void {
  if (body.length > COMMENT_CHARS_MAX)
    throw new AppError(
      'too_large',
      `A comment can have up to ${COMMENT_CHARS_MAX} characters; this one has ${body.length}. Shorten it or link to the rest.`,
      { max: COMMENT_CHARS_MAX, length: body.length },
    );
  if (body.trim() === '') throw new AppError('bad_request', 'A comment must not be empty.');
}

async function requireParentComment(db: ArchiveDb, seq: number, id: string): Promise<void> {
  const row = await db
    .selectFrom('comment')
    .select('id')
    .where('id', '=', toColumn(id))
    .where('seq', '=', seq)
    .executeTakeFirst();
  if (row === undefined)
    throw new AppError('bad_request', 'The comment that this one replies to belongs to another record.', {
      answers: id,
    });
}
