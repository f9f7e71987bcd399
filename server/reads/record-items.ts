import 'server-only';
import { type RecordItem } from '@/lib/api/records';
import { type ListedRecord, type TakenBackRecord } from '@/server/archive/archive';
import { type ReadContext } from '@/server/reads/context';
import { takenBackAnswer } from '@/server/reads/diff-answer';
import { echoRollout } from '@/server/reads/echoes';
import { requireArchive } from '@/server/reads/ledger';
import { recordItem } from '@/server/reads/record-answer';

/** Records as lists give them, with their comments and with what each of them takes back. */
export async function recordItems(
  context: ReadContext,
  listed: readonly ListedRecord[],
): Promise<RecordItem[]> {
  const returns = await requireArchive(context).takenBack(listed.map(({ record }) => record.id));
  return Promise.all(listed.map((one) => itemOf(context, one, returns.get(one.record.id))));
}

export async function recordItemWith(context: ReadContext, listed: ListedRecord): Promise<RecordItem> {
  const { id } = listed.record;
  const returns = await requireArchive(context).takenBack([id]);
  return itemOf(context, listed, returns.get(id));
}

/** What a return to an earlier template takes back, in words and masked. */
export function takenBackItem(
  { keys }: Pick<ReadContext, 'keys'>,
  taken: TakenBackRecord | undefined,
): RecordItem['takesBack'] {
  if (taken === undefined) return null;
  return takenBackAnswer({ rollout: echoRollout(taken.first, keys), others: taken.others });
}

async function itemOf(
  context: ReadContext,
  listed: ListedRecord,
  taken: TakenBackRecord | undefined,
): Promise<RecordItem> {
  const { id } = listed.record;
  const comments = listed.comments === 0 ? [] : await requireArchive(context).comments(id);
  return recordItem(listed, comments, context.keys, takenBackItem(context, taken));
}
