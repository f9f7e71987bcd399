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
          failed: isFailed(mark, marks),
          endedAt: mark.endedAt,
          usable: mark.to.hash !== targetHash && isUsable(entry, target),
        },
      ];
    }),
  );
  return runs.sort((a, b) => a.index - b.index);
}

function isFailed(mark: RecordMark, marks: readonly RecordMark[]): boolean {
  if (mark.outcome === 'failed' || mark.verdict === 'bad') return true;
  const { activation, from, to, endedAt, revertedBy } = mark;
  const earlier = marks.filter((other) => other.activation < activation);
  const next = marks.find((other) => other.activation === activation + 1);
  // Going back to what a rollback had left undoes the rollback: that is no failure of what the rollback brought.
  if (hasRun(to.hash, earlier) && next !== undefined && next.to.hash === from?.hash) return false;
  const isLeft = next !== undefined && next.to.hash !== to.hash && hasRun(next.to.hash, earlier);
  if (mark.outcome === 'rolledBack' || isLeft) return true;
  const later = marks.find(({ id }) => id === revertedBy);
  const at = later?.startedAt ?? later?.startedNotAfter ?? null;
  if (at === null || endedAt === null) return false;
  return Date.parse(at) - Date.parse(endedAt) <= FAILED_WITHIN_MS;
}

function hasRun(hash: string, marks: readonly RecordMark[]): boolean {
  return marks.some(({ from, to }) => to.hash === hash || from?.hash === hash);
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
