import 'server-only';
import { type z } from 'zod';
import {
  type CommentItem,
  type commentEditSchema,
  type commentRequestSchema,
  type RecordItem,
  type ReviewAnswer,
  type reviewRequestSchema,
} from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import { verdictWords } from '@/lib/ledger/report-text';
import { type Author, isAuthor, type Review, type Verdict } from '@/lib/ledger/review';
import { type RolloutRecord } from '@/lib/ledger/record';
import { type Archive } from '@/server/archive/archive';
import { type ReadContext } from '@/server/reads/context';
import { requireArchive, requireRecord } from '@/server/reads/ledger';
import { commentItem, reviewItem } from '@/server/reads/record-answer';
import { recordItemWith } from '@/server/reads/record-items';
import { forgetReports } from '@/server/reads/report';
import { requestFacts } from '@/server/request-facts';
import { type ReviewEntry } from '@/server/review-entry';
import { type Viewer } from '@/server/viewer';

type Parsed<S extends z.core.$ZodType> = z.output<S>;

/**
 * Gives a verdict, with a comment if there is one. Throws `conflict` with the present review in its details where
 * somebody decided in between; nothing is written then.
 */
export async function giveVerdict(
  context: ReadContext,
  viewer: Viewer,
  id: string,
  { verdict, comment, followUp, ifVersion }: Parsed<typeof reviewRequestSchema>,
): Promise<ReviewAnswer> {
  const archive = requireArchive(context);
  const { record } = await requireRecord(context, viewer, id);
  const given: Verdict = { verdict, ...authorOf(viewer), at: nowOf(context), followUp };
  const said = comment.trim() === '' ? undefined : comment;
  const noticesOf = (kept: Review) => context.notices?.ofReview(record, kept) ?? [];
  const review = await journaled(context, viewer, record, { event: 'verdict', verdict }, () =>
    archive.review(id, given, ifVersion, said, noticesOf),
  ).catch(async (error: unknown) => {
    throw isConflict(error) ? await outdated(context, archive, id, error) : error;
  });
  forgetReports(archive);
  return { review: reviewItem(review, await archive.comments(id), context.keys) };
}

export async function addComment(
  context: ReadContext,
  viewer: Viewer,
  id: string,
  { body, path, answers }: Parsed<typeof commentRequestSchema>,
): Promise<CommentItem> {
  const archive = requireArchive(context);
  const { record } = await requireRecord(context, viewer, id);
  if (answers !== null) await requireComment(archive, id, answers);
  const comment = { recordId: id, ...authorOf(viewer), at: nowOf(context), body, path, answers };
  const added = await journaled(context, viewer, record, { event: 'comment', comment: answers }, () =>
    archive.addComment(comment),
  );
  return commentItem(added, context.keys);
}

/** Only who wrote a comment may rewrite it; the earlier text stays readable. */
export async function editComment(
  context: ReadContext,
  viewer: Viewer,
  id: string,
  commentId: string,
  { body }: Parsed<typeof commentEditSchema>,
): Promise<CommentItem> {
  const archive = requireArchive(context);
  const { record } = await requireRecord(context, viewer, id);
  const comment = await requireComment(archive, id, commentId);
  if (!isAuthor(comment, viewer)) {
    throw new AppError(
      'forbidden',
      `This comment is by ${comment.by === viewer.name ? `another ${comment.by}` : comment.by}, and only they can change it. Nothing was written; answer it instead.`,
    );
  }
  const edit = { ...authorOf(viewer), at: nowOf(context) };
  const edited = await journaled(context, viewer, record, { event: 'edit', comment: commentId }, () =>
    archive.editComment(commentId, body, edit),
  );
  return commentItem(edited, context.keys);
}

/** A pinned record keeps its templates for ever. */
export async function pinRecord(
  context: ReadContext,
  viewer: Viewer,
  id: string,
  pinned: boolean,
): Promise<RecordItem> {
  const archive = requireArchive(context);
  const { record } = await requireRecord(context, viewer, id);
  await journaled(context, viewer, record, { event: pinned ? 'pin' : 'unpin' }, () =>
    archive.pin(id, pinned),
  );
  return recordItemWith(context, await requireRecord(context, viewer, id));
}

/**
 * Does `write` once the audit has a line of who is about to do it, and adds another where that fails. Throws as
 * {@link Audit.note} does: then nothing is written.
 */
async function journaled<T>(
  context: ReadContext,
  { id, name }: Viewer,
  { id: record, workload: { cluster, resource, namespace, name: workloadName, uid } }: RolloutRecord,
  what: Pick<ReviewEntry, 'event'> & Partial<Pick<ReviewEntry, 'verdict' | 'comment'>>,
  write: () => Promise<T>,
): Promise<T> {
  const workload = { cluster, resource, namespace, name: workloadName, uid };
  const facts = { by: { id, name }, record, workload, verdict: null, comment: null, ...what };
  const note = (code: string | null) =>
    context.audit?.note({ at: nowOf(context), ...facts, code, ...requestFacts() });
  note(null);
  try {
    return await write();
  } catch (error) {
    try {
      note(error instanceof AppError ? error.code : 'internal');
    } catch {
      // Why it failed is what the viewer must hear; that the line is missing shows at the next write.
    }
    throw error;
  }
}

function authorOf({ id, name }: Viewer): Required<Author> {
  return { by: name, byId: id };
}

async function outdated(
  { keys }: ReadContext,
  archive: Archive,
  id: string,
  cause: AppError,
): Promise<AppError> {
  const [listed, comments] = await Promise.all([archive.recordById(id), archive.comments(id)]);
  const review = reviewItem(listed?.review ?? null, comments, keys);
  const who =
    review.verdict === null
      ? 'nobody has given a verdict'
      : `${review.by ?? 'somebody'} has decided: ${verdictWords[review.verdict]}`;
  return new AppError(
    'conflict',
    `The review has changed since you looked: ${who}. Look at it, then decide again.`,
    { review },
    cause,
  );
}

async function requireComment(archive: Archive, recordId: string, commentId: string) {
  const comment = (await archive.comments(recordId)).find(({ id }) => id === commentId);
  if (comment !== undefined) return comment;
  throw new AppError('not_found', `The record has no comment ${JSON.stringify(commentId.slice(0, 200))}.`);
}

function isConflict(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'conflict';
}

function nowOf({ now }: ReadContext): string {
  return new Date(now()).toISOString();
}
