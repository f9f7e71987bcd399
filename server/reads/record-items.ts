import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type recordItemSchema } from '@/lib/api/records';
import { type ListedRecord } from '@/server/archive/records';
import { type RevertedRecord } from '@/server/archive/rollouts';
import { type SharedContext } from '@/server/reads/context';
import { revertedAnswer } from '@/server/reads/diff-answer';
import { relatedRollout } from '@/server/reads/related-changes';
import { requireArchive } from '@/server/reads/archive-access';
import { recordItem } from '@/server/reads/record-answer';

/** Records as lists return them, with their comments and with what each of them reverts. */
export async function recordItems(
  context: SharedContext,
  listed: readonly ListedRecord[],
): Promise<Answer<typeof recordItemSchema>[]> {
  const revertedById = await requireArchive(context).rollouts.reverted(listed.map(({ record }) => record.id));
  return Promise.all(listed.map((one) => itemOf(context, one, revertedById.get(one.record.id))));
}

export async function recordItemWith(
  context: SharedContext,
  listed: ListedRecord,
): Promise<Answer<typeof recordItemSchema>> {
  const { id } = listed.record;
  const revertedById = await requireArchive(context).rollouts.reverted([id]);
  return itemOf(context, listed, revertedById.get(id));
}

/** What a return to an earlier template reverts, in words and masked. */
export function revertedItem(
  { keys }: Pick<SharedContext, 'keys'>,
  reverted: RevertedRecord | undefined,
): Answer<typeof recordItemSchema>['takesBack'] {
  if (reverted === undefined) return null;
  return revertedAnswer({ rollout: relatedRollout(reverted.first, keys.mask), others: reverted.others });
}

async function itemOf(
  context: SharedContext,
  listed: ListedRecord,
  reverted: RevertedRecord | undefined,
): Promise<Answer<typeof recordItemSchema>> {
  const { id } = listed.record;
  const comments = listed.comments === 0 ? [] : await requireArchive(context).reviews.comments(id);
  return recordItem(listed, comments, context.keys, revertedItem(context, reverted));
}
