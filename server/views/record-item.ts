import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { RevisionRef } from '@/lib/api/incarnation';
import { namedMembers } from '@/lib/api/named-members';
import type { RolloutRecord } from '@/lib/api/record';
import type { RecordPart } from '@/lib/api/record-values';
import { recordItemSchema } from '@/lib/api/records';
import { type Review, type ReviewComment, commentItemSchema, reviewItemSchema } from '@/lib/api/review';
import { kindTitle } from '@/lib/workloads/kinds/table';
import type { ListedRecord } from '@/server/archive/records';
import type { Keys } from '@/server/shared/keys';
import type { Mask } from '@/server/shared/mask';
import { maskedComment, maskedDetails, maskedRecord, maskedVerdict } from '@/server/shared/masked-record';
import type { RevertedRecord } from '@/server/archive/rollouts';
import type { SharedContext } from '@/server/views/context';
import type { Fleet } from '@/server/views/fleet';
import { revertedAnswer } from '@/server/views/diff-answer';
import { relatedRollout } from '@/server/views/related-changes';
import { requireArchive } from '@/server/views/archive-access';
import { type ShownRecord, shownRecords } from '@/server/views/record-parts';

/** A record as lists return it, masked; `hidden` parts are left out already. */
export function recordItem(
  listed: ListedRecord & { hidden?: readonly RecordPart[] },
  comments: readonly ReviewComment[],
  keys: Keys,
  reverts: Answer<typeof recordItemSchema>['reverts'] = null,
): Answer<typeof recordItemSchema> {
  const { record, review, revertedBy, hidden = [] } = listed;
  const { mask } = keys;
  return namedMembers(recordItemSchema, {
    ...maskedRecord(record, mask),
    workload: { ...record.workload, kind: kindTitle(record.workload) },
    from: record.from && withKeyedHash(record.from, keys),
    to: withKeyedHash(record.to, keys),
    steps: record.steps.map((step) => ({
      ...step,
      removed: step.removed.map((pod) => ({ ...pod, hash: pod.hash && keys.template(pod.hash) })),
    })),
    revertedBy,
    reverts,
    hidden,
    review: reviewItem(review, comments, mask),
  });
}

/** What the page of one record shows besides that, masked, as far as the record itself has it. */
export function recordDetails(record: RolloutRecord, keys: Keys) {
  return {
    ...maskedDetails(record, keys.mask),
    others: record.others.map((ref) => withKeyedHash(ref, keys)),
    samples: record.samples.map(({ at, byRevision }) => ({
      at,
      byRevision: byRevision.map(([hash, pods, ready]) => [keys.template(hash), pods, ready] as const),
    })),
  };
}

/** The current verdict with the discussion; version 0 where there is none. */
export function reviewItem(
  review: Review | null,
  comments: readonly ReviewComment[],
  mask: Mask,
): Answer<typeof reviewItemSchema> {
  const discussion = comments.map((comment) => commentItem(comment, mask));
  if (review === null) {
    return {
      version: 0,
      verdict: null,
      by: null,
      at: null,
      followUp: null,
      history: [],
      comments: discussion,
    };
  }
  const history = review.history.map((verdict) => maskedVerdict(verdict, mask));
  return namedMembers(reviewItemSchema, {
    ...review,
    ...maskedVerdict(review, mask),
    history,
    comments: discussion,
  });
}

/** A comment; credentials in its text are masked. */
export function commentItem(comment: ReviewComment, mask: Mask): Answer<typeof commentItemSchema> {
  const { mentions = [], ...masked } = maskedComment(comment, mask);
  const names = [...new Set(mentions.map(({ name }) => name))];
  return namedMembers(commentItemSchema, { ...masked, mentions: names });
}

function withKeyedHash(ref: RevisionRef, keys: Keys): RevisionRef {
  return { ...ref, hash: keys.template(ref.hash) };
}

/** Records as lists return them, with their comments and with what each of them reverts. */
export async function recordItems(
  fleet: Fleet,
  listed: readonly ListedRecord[],
): Promise<Answer<typeof recordItemSchema>[]> {
  const revertedById = await requireArchive(fleet).rollouts.reverted(listed.map(({ record }) => record.id));
  const shown = await shownRecords(fleet, listed);
  return Promise.all(shown.map((one) => itemOf(fleet, one, revertedById.get(one.record.id))));
}

/** One of them, as `recordItems`. */
export async function recordItemWith(
  fleet: Fleet,
  listed: ListedRecord,
): Promise<Answer<typeof recordItemSchema>> {
  const [item] = await recordItems(fleet, [listed]);
  if (item === undefined) throw new Error('One record has one item.');
  return item;
}

/** What a return to an earlier template reverts, in words and masked. */
export function revertedItem(
  { keys }: Pick<SharedContext, 'keys'>,
  reverted: RevertedRecord | undefined,
): Answer<typeof recordItemSchema>['reverts'] {
  if (reverted === undefined) return null;
  return revertedAnswer({ rollout: relatedRollout(reverted.first, keys.mask), others: reverted.others });
}

async function itemOf(
  context: SharedContext,
  listed: ShownRecord,
  reverted: RevertedRecord | undefined,
): Promise<Answer<typeof recordItemSchema>> {
  const { id } = listed.record;
  const comments = listed.comments === 0 ? [] : await requireArchive(context).reviews.comments(id);
  return recordItem(listed, comments, context.keys, revertedItem(context, reverted));
}
