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
import { type Review, type Verdict } from '@/lib/ledger/review';
import { type Archive } from '@/server/archive/archive';
import { type ReadContext } from '@/server/reads/context';
import { requireArchive, requireRecord } from '@/server/reads/ledger';
import { commentItem, reviewItem } from '@/server/reads/record-answer';
import { recordItemWith } from '@/server/reads/record-items';
import { forgetReports } from '@/server/reads/report';
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
  const given: Verdict = { verdict, by: viewer.name, at: nowOf(context), followUp };
  const said = comment.trim() === '' ? undefined : comment;
  const noticesOf = (kept: Review) => context.notices?.ofReview(record, kept) ?? [];
  const review = await archive.review(id, given, ifVersion, said, noticesOf).catch(async (error: unknown) => {
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
  await requireRecord(context, viewer, id);
  if (answers !== null) await requireComment(archive, id, answers);
  const added = await archive.addComment({
    recordId: id,
    by: viewer.name,
    at: nowOf(context),
    body,
    path,
    answers,
  });
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
  await requireRecord(context, viewer, id);
  const { by } = await requireComment(archive, id, commentId);
  if (by !== viewer.name) {
    throw new AppError(
      'forbidden',
      `This comment is by ${by}, and only they can change it. Answer it instead.`,
    );
  }
  return commentItem(await archive.editComment(commentId, body, viewer.name, nowOf(context)), context.keys);
}

/** A pinned record keeps its templates for ever. */
export async function pinRecord(
  context: ReadContext,
  viewer: Viewer,
  id: string,
  pinned: boolean,
): Promise<RecordItem> {
  const archive = requireArchive(context);
  await requireRecord(context, viewer, id);
  await archive.pin(id, pinned);
  return recordItemWith(context, await requireRecord(context, viewer, id));
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
