import 'server-only';
import { equalsTarget } from '@/lib/history/default-target';
import { FAILED_WITHIN_MS, type RecordedRun } from '@/lib/history/proven-target';
import { type History } from '@/lib/history/revision';
import { type RecordMark } from '@/lib/ledger/mark';
import { type RevisionEntry } from '@/server/reads/revision-entries';

/** What the records say of the activations of these revisions, oldest first. */
export function recordedRuns(
  { target }: Pick<History, 'target'>,
  entries: readonly RevisionEntry[],
  marks: readonly RecordMark[],
): RecordedRun[] {
  const byId = new Map(marks.map((mark) => [mark.id, mark]));
  const ofActivation = new Map(marks.map((mark) => [mark.activation, mark]));
  const targetHash = entries.find(({ id }) => id === target?.id)?.hash ?? null;
  const runs = entries.flatMap((entry) =>
    entry.activations.flatMap(({ index, to }): (RecordedRun & { index: number })[] => {
      const mark = index === null ? undefined : ofActivation.get(index);
      if (mark === undefined || index === null) return [];
      const { id, number } = entry;
      return [
        {
          ...{ index, id, number, to },
          hash: mark.to.hash,
          completed: mark.outcome === 'completed',
          failed: isFailed(mark, byId),
          endedAt: mark.endedAt,
          usable: mark.to.hash !== targetHash && isUsable(entry, target),
        },
      ];
    }),
  );
  return runs.sort((a, b) => a.index - b.index);
}

function isFailed(mark: RecordMark, byId: ReadonlyMap<string, RecordMark>): boolean {
  const { outcome, revertedBy, endedAt, verdict } = mark;
  if (outcome === 'failed' || outcome === 'rolledBack' || verdict === 'bad') return true;
  const later = revertedBy === null ? undefined : byId.get(revertedBy);
  const at = later?.startedAt ?? later?.startedNotAfter ?? null;
  if (at === null || endedAt === null) return false;
  return Date.parse(at) - Date.parse(endedAt) <= FAILED_WITHIN_MS;
}

function isUsable(entry: RevisionEntry, target: History['target']): boolean {
  switch (entry.kind) {
    case 'archived':
      return entry.hasTemplate;
    case 'retained':
      return entry.revision.source.deletedAt === null && !equalsTarget({ target }, entry.revision);
    default:
      return entry satisfies never;
  }
}
