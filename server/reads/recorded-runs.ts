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
  const known = indexOf(marks);
  const targetHash = entries.find(({ id }) => id === target?.id)?.hash ?? null;
  const runs = entries.flatMap((entry) =>
    entry.activations.flatMap(({ index, to }): (RecordedRun & { index: number })[] => {
      const mark = index === null ? undefined : known.ofActivation.get(index);
      if (mark === undefined || index === null) return [];
      const { id, number } = entry;
      return [
        {
          ...{ index, id, number, to },
          hash: mark.to.hash,
          completed: mark.outcome === 'completed',
          failed: isFailed(mark, known),
          endedAt: mark.endedAt,
          usable: mark.to.hash !== targetHash && isUsable(entry, target),
        },
      ];
    }),
  );
  return runs.sort((a, b) => a.index - b.index);
}

interface KnownMarks {
  ofActivation: ReadonlyMap<number, RecordMark>;
  byId: ReadonlyMap<string, RecordMark>;
  /** The first activation whose rollout led from or to a template, by its hash. */
  firstRun: ReadonlyMap<string, number>;
}

function indexOf(marks: readonly RecordMark[]): KnownMarks {
  const firstRun = new Map<string, number>();
  for (const { activation, from, to } of marks) {
    for (const hash of [from?.hash, to.hash]) {
      if (hash !== undefined) firstRun.set(hash, Math.min(activation, firstRun.get(hash) ?? Infinity));
    }
  }
  return {
    ofActivation: new Map(marks.map((mark) => [mark.activation, mark])),
    byId: new Map(marks.map((mark) => [mark.id, mark])),
    firstRun,
  };
}

function isFailed(mark: RecordMark, { ofActivation, byId, firstRun }: KnownMarks): boolean {
  if (mark.outcome === 'failed' || mark.verdict === 'bad') return true;
  const { activation, from, to, endedAt, revertedBy } = mark;
  const hadRun = (hash: string) => (firstRun.get(hash) ?? Infinity) < activation;
  const next = ofActivation.get(activation + 1);
  // Going back to what a rollback had left undoes the rollback: that is no failure of what the rollback brought.
  if (hadRun(to.hash) && next !== undefined && next.to.hash === from?.hash) return false;
  const isLeft = next !== undefined && next.to.hash !== to.hash && hadRun(next.to.hash);
  if (mark.outcome === 'rolledBack' || isLeft) return true;
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
