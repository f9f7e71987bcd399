import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type recordItemSchema } from '@/lib/api/records';
import { type ListedRecord } from '@/server/archive/records';
import { type RevertedRecord } from '@/server/archive/rollouts';
import { type Fleet, type SharedContext } from '@/server/reads/context';
import { revertedAnswer } from '@/server/reads/diff-answer';
import { relatedRollout } from '@/server/reads/related-changes';
import { requireArchive } from '@/server/reads/archive-access';
import { recordItem } from '@/server/reads/record-answer';
import { type ShownRecord, shownRecords } from '@/server/reads/record-parts';

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
