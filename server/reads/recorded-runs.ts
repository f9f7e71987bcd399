import 'server-only';
import { equalsTarget } from '@/lib/history/default-target';
import { FAILED_WITHIN_MS, type RecordedRun } from '@/lib/history/proven-target';
import { type History } from '@/lib/history/revision';
import { type RecordMark } from '@/lib/ledger/mark';
import { templateKeys } from '@/lib/ledger/meaning';
import { type RevisionEntry } from '@/server/reads/revision-entries';

/** What the records say of the activations of these revisions, oldest first. */
export function recordedRuns(
  { target }: Pick<History, 'target'>,
  entries: readonly RevisionEntry[],
  marks: readonly RecordMark[],
): RecordedRun[] {
  const known = indexOf(marks);
  const targetHash = entries.find(({ id }) => id === target?.id)?.hash ?? null;
  const targetKey = targetHash === null ? null : known.keyOf(targetHash);
  const runs = entries.flatMap((entry) =>
    entry.activations.flatMap(({ index, to }): (RecordedRun & { index: number })[] => {
      const mark = index === null ? undefined : known.ofActivation.get(index);
      if (mark === undefined || index === null) return [];
      const { id, number } = entry;
      const template = known.keyOf(mark.to.hash);
      return [
        {
          ...{ index, id, number, to },
          template,
          completed: mark.outcome === 'completed',
          failed: isFailed(mark, known),
          endedAt: mark.endedAt,
          usable: template !== targetKey && isUsable(entry, target),
        },
      ];
    }),
  );
  return runs.sort((a, b) => a.index - b.index);
}

interface KnownMarks {
  ofActivation: ReadonlyMap<number, RecordMark>;
  byId: ReadonlyMap<string, RecordMark>;
  /** Stands for a template by its hash, see `templateKeys`. */
  keyOf: (hash: string) => string;
  /** The first activation whose rollout led from or to a template. */
  firstRun: ReadonlyMap<string, number>;
}

function indexOf(marks: readonly RecordMark[]): KnownMarks {
  const keyOf = templateKeys(marks.flatMap(({ from, to }) => [from, to]));
  const firstRun = new Map<string, number>();
  for (const { activation, from, to } of marks) {
    for (const ref of from === null ? [to] : [from, to]) {
      const key = keyOf(ref.hash);
      firstRun.set(key, Math.min(activation, firstRun.get(key) ?? Infinity));
    }
  }
  return {
    ofActivation: new Map(marks.map((mark) => [mark.activation, mark])),
    byId: new Map(marks.map((mark) => [mark.id, mark])),
    keyOf,
    firstRun,
  };
}

function isFailed(mark: RecordMark, { ofActivation, byId, keyOf, firstRun }: KnownMarks): boolean {
  if (mark.outcome === 'failed' || mark.verdict === 'bad') return true;
  const { activation, endedAt, revertedBy } = mark;
  const from = mark.from && keyOf(mark.from.hash);
  const to = keyOf(mark.to.hash);
  const hadRun = (template: string) => (firstRun.get(template) ?? Infinity) < activation;
  const follower = ofActivation.get(activation + 1);
  const next = follower && keyOf(follower.to.hash);
  // Going back to what a rollback had left undoes the rollback: that is no failure of what the rollback brought.
  if (hadRun(to) && next !== undefined && next === from) return false;
  const isLeft = next !== undefined && next !== to && hadRun(next);
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
