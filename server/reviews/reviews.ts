import 'server-only';
import type { z } from 'zod';
import type { Answer } from '@/lib/api/common';
import type {
  Author,
  Review,
  Verdict,
  commentEditSchema,
  commentItemSchema,
  commentRequestSchema,
  bulkReviewAnswerSchema,
  bulkReviewRequestSchema,
  reviewAnswerSchema,
  reviewItemSchema,
  reviewRequestSchema,
} from '@/lib/api/review';
import type { recordItemSchema } from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import { verdictLabels } from '@/lib/view/report-text';
import { isAuthor } from '@/lib/records/review';
import type { RolloutRecord } from '@/lib/api/record';
import type { Archive } from '@/server/archive/archive';
import type { ReviewRepository } from '@/server/archive/reviews';
import type { SharedContext } from '@/server/views/context';
import type { Fleet } from '@/server/views/fleet';
import { requireArchive, requireRecord, type SeenRecord } from '@/server/views/archive-access';
import { type Addition, rightToAdd } from '@/server/views/record-additions';
import { commentItem, reviewItem, recordItemWith } from '@/server/views/record-item';
import { mentionsOf } from '@/server/reviews/mentions';
import { maskedFollowUp } from '@/server/shared/masked-record';
import { refusalOf } from '@/server/views/rights';
import { requestFacts } from '@/server/shared/request-facts';
import type { ReviewEntry } from '@/lib/api/activity-event';
import type { Mask } from '@/server/shared/mask';
import type { PersonFacts } from '@/server/shared/viewer';

type Parsed<S extends z.core.$ZodType> = z.output<S>;

/**
 * Gives a verdict, with a comment if there is one. Throws `conflict` with the current review in its details where
 * another viewer decided in between; nothing is written then.
 */
export async function saveVerdict(
  context: Fleet,
  id: string,
  { verdict, comment, followUp, ifVersion }: Parsed<typeof reviewRequestSchema>,
): Promise<Answer<typeof reviewAnswerSchema>> {
  const archive = requireArchive(context);
  const { listed, viewer } = await requireWritableRecord(context, id, 'reviews');
  const { record } = listed;
  const { mask } = context.keys;
  const newVerdict: Verdict = {
    ...{ verdict, ...authorOf(viewer, mask), at: nowOf(context) },
    followUp: maskedFollowUp(followUp, mask),
  };
  const given = comment.trim() === '' ? undefined : await writtenBody(archive, comment, mask);
  const noticesOf = (saved: Review) => context.notices?.ofReview(record, saved) ?? [];
  const review = await withAudit(context, viewer, record, { event: 'verdict', verdict }, () =>
    archive.reviews.save(id, newVerdict, ifVersion, given, noticesOf),
  ).catch(async (error: unknown) => {
    throw isConflict(error) ? await reviewConflict(context, archive, id, error) : error;
  });
  return { review: reviewItem(review, await archive.reviews.comments(id), context.keys.mask) };
}

/** Gives one verdict to several records, one after the other; those that cannot be saved are named and stay as they were. */
export async function saveVerdicts(
  context: Fleet,
  { records, ...verdict }: Parsed<typeof bulkReviewRequestSchema>,
): Promise<Answer<typeof bulkReviewAnswerSchema>> {
  const items: Answer<typeof bulkReviewAnswerSchema>['items'][number][] = [];
  for (const { id, ifVersion } of records) items.push(await attempt(id, ifVersion));
  return { items };

  async function attempt(id: string, ifVersion: number) {
    try {
      const { review } = await saveVerdict(context, id, { ...verdict, ifVersion });
      return { id, error: null, review };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const review = (error.details.review as Answer<typeof reviewItemSchema> | undefined) ?? null;
      return { id, error: context.keys.mask.text(error.message), review };
    }
  }
}

export async function addComment(
  context: Fleet,
  id: string,
  { body, path, answers }: Parsed<typeof commentRequestSchema>,
): Promise<Answer<typeof commentItemSchema>> {
  const archive = requireArchive(context);
  const { listed, viewer } = await requireWritableRecord(context, id, 'comments');
  const { record } = listed;
  if (answers !== null) await requireComment(archive.reviews, id, answers);
  const { mask } = context.keys;
  const comment = {
    ...{ recordId: id, ...authorOf(viewer, mask), at: nowOf(context) },
    ...(await writtenBody(archive, body, mask)),
    ...{ path: mask.text(path), answers },
  };
  const added = await withAudit(context, viewer, record, { event: 'comment', comment: answers }, () =>
    archive.reviews.addComment(comment),
  );
  return commentItem(added, mask);
}

/** Only the author of a comment can rewrite it; the earlier text stays readable. */
export async function editComment(
  context: Fleet,
  id: string,
  commentId: string,
  { body }: Parsed<typeof commentEditSchema>,
): Promise<Answer<typeof commentItemSchema>> {
  const archive = requireArchive(context);
  const { listed, viewer } = await requireWritableRecord(context, id, 'comments');
  const { record } = listed;
  const comment = await requireComment(archive.reviews, id, commentId);
  if (!isAuthor(comment, viewer)) {
    throw new AppError(
      'forbidden',
      `Only the author of this comment can edit it: ${comment.by === viewer.name ? `another ${comment.by}` : comment.by}. Nothing was saved; reply instead.`,
    );
  }
  const { mask } = context.keys;
  const edit = { ...authorOf(viewer, mask), at: nowOf(context) };
  const written = await writtenBody(archive, body, mask);
  const edited = await withAudit(context, viewer, record, { event: 'edit', comment: commentId }, () =>
    archive.reviews.editComment(commentId, written, edit),
  );
  return commentItem(edited, mask);
}

/** A pinned record retains its templates without limit. */
export async function pinRecord(
  context: Fleet,
  id: string,
  pinned: boolean,
): Promise<Answer<typeof recordItemSchema>> {
  const archive = requireArchive(context);
  const { listed, viewer } = await requireWritableRecord(context, id, 'pins');
  const { record } = listed;
  await withAudit(context, viewer, record, { event: pinned ? 'pin' : 'unpin' }, () =>
    archive.rollouts.pin(id, pinned),
  );
  return recordItemWith(context, (await requireRecord(context, id)).listed);
}

/** A record that the viewer may add to. Throws AppError `forbidden`, or what keeps the right unknown. */
async function requireWritableRecord(fleet: Fleet, id: string, addition: Addition): Promise<SeenRecord> {
  const seen = await requireRecord(fleet, id);
  const { workload } = seen.listed.record;
  const right = await rightToAdd(seen.place, workload, addition);
  if (right.state === 'allowed') return seen;
  const code = right.state === 'unknown' ? right.error.code : 'forbidden';
  throw new AppError(code, `Nothing was saved. ${refusalOf(right)}`, { namespace: workload.namespace });
}

/**
 * Does `write` after an audit line about the viewer and the attempt, and adds another line where that fails. Throws as
 * {@link Audit.note} does: then nothing is written.
 */
async function withAudit<T>(
  context: SharedContext,
  { id, name }: PersonFacts,
  { id: record, workload: { cluster, resource, namespace, name: workloadName, uid } }: RolloutRecord,
  change: Pick<ReviewEntry, 'event'> & Partial<Pick<ReviewEntry, 'verdict' | 'comment'>>,
  write: () => Promise<T>,
): Promise<T> {
  const workload = { cluster, resource, namespace, name: workloadName, uid };
  const facts = {
    by: { id, name: context.keys.mask.text(name) },
    record,
    workload,
    verdict: null,
    comment: null,
    ...change,
  };
  const note = (code: string | null) =>
    context.audit?.note({ at: nowOf(context), ...facts, code, ...requestFacts() });
  note(null);
  try {
    return await write();
  } catch (error) {
    try {
      note(error instanceof AppError ? error.code : 'internal');
    } catch {
      // The viewer must get the reason of the failure; the next write reports that the line is missing.
    }
    throw error;
  }
}

/** A text as it is stored, masked, with the people whom it mentions. */
async function writtenBody({ people }: Pick<Archive, 'people'>, text: string, mask: Mask) {
  const body = mask.text(text);
  return { body, mentions: await mentionsOf(people, body) };
}

function authorOf({ id, name }: PersonFacts, mask: Mask): Required<Author> {
  return { by: mask.text(name), byId: id };
}

async function reviewConflict(
  { keys }: SharedContext,
  archive: Archive,
  id: string,
  cause: AppError,
): Promise<AppError> {
  const [listed, comments] = await Promise.all([archive.rollouts.byId(id), archive.reviews.comments(id)]);
  const review = reviewItem(listed?.review ?? null, comments, keys.mask);
  const who =
    review.verdict === null
      ? 'it has no verdict now'
      : `${review.by ?? 'another person'} set the verdict to ${verdictLabels[review.verdict]}`;
  return new AppError(
    'conflict',
    `The review changed in the meantime: ${who}. Nothing of yours was saved; check it, then set your verdict again.`,
    { review },
    cause,
  );
}

async function requireComment(reviews: ReviewRepository, recordId: string, commentId: string) {
  const comment = (await reviews.comments(recordId)).find(({ id }) => id === commentId);
  if (comment !== undefined) return comment;
  throw new AppError('not_found', `The record has no comment ${JSON.stringify(commentId.slice(0, 200))}.`);
}

function isConflict(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'conflict';
}

function nowOf({ now }: SharedContext): string {
  return new Date(now()).toISOString();
}
