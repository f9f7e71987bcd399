import { type RevisionItem, type RolloutMark, type WorkloadDetail } from '@/lib/api/workloads';
import { type Span, spansOf } from '@/lib/timeline/span';
import { versionsOf } from '@/lib/view/image-name';
import { type Moment, momentOf } from '@/lib/view/moment';

export type Row =
  | {
      kind: 'revision';
      key: string;
      revision: RevisionItem;
      /** Of its images, as far as that tells it from its neighbors. */
      version: string;
      active: Moment;
      span: Span | null;
      /** The rollout of its last activation. */
      mark: RolloutMark | null;
    }
  /** Numbers that must have been and that no object carries any longer, highest first. */
  | { kind: 'gap'; key: string; from: number; to: number };

/** The history newest first, with the places where revisions are missing. */
export function rowsOf(
  { revisions, gaps }: Pick<WorkloadDetail, 'revisions' | 'gaps'>,
  nowMs: number,
): Row[] {
  const spans = spansOf(revisions, nowMs);
  const missing = runsOf(gaps);
  const rows: Row[] = [];
  const versions = versionsOf(revisions);
  for (const [index, revision] of revisions.entries()) {
    const number = revision.number ?? -Infinity;
    while (missing[0] && missing[0].to > number) rows.push(gapRow(missing.shift()));
    const last = revision.activations.at(-1);
    rows.push({
      kind: 'revision',
      key: revision.id,
      revision,
      version: versions[index] ?? '',
      active: last ? momentOf(last.from, last.fromNotBefore, last.fromNotAfter) : { kind: 'unknown' },
      span: spans.findLast((each) => each.revisionId === revision.id)?.span ?? null,
      mark: last?.record ?? null,
    });
  }
  return [...rows, ...missing.map(gapRow)];
}

interface Run {
  from: number;
  to: number;
}

/** Neighbouring numbers together, highest first. */
function runsOf(numbers: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (const number of numbers.toSorted((a, b) => b - a)) {
    const last = runs.at(-1);
    if (last && last.from - 1 === number) last.from = number;
    else runs.push({ from: number, to: number });
  }
  return runs;
}

function gapRow(run: Run | undefined): Row {
  const { from = 0, to = 0 } = run ?? {};
  return { kind: 'gap', key: `gap ${to}`, from, to };
}
