import { type WorkloadDetail } from '@/lib/api/workloads';
import { type RevisionItem } from '@/lib/api/revisions';
import { type RolloutSummary } from '@/lib/api/records';
import { type Span, spansOf } from '@/lib/timeline/span';
import { versionsOf } from '@/lib/view/image-name';
import { type Moment, momentOf } from '@/lib/format/moment';

export type RevisionListRow =
  | {
      kind: 'revision';
      key: string;
      revision: RevisionItem;
      /** Of its images, the parts that differ from its neighbors. */
      version: string;
      active: Moment;
      span: Span | null;
      /** The rollout of its last activation. */
      record: RolloutSummary | null;
    }
  /** Numbers that must have existed and that no object has any longer, highest first. */
  | { kind: 'gap'; key: string; from: number; to: number };

/** The history newest first, with a row for each gap. */
export function buildRevisionRows(
  { revisions, gaps }: Pick<WorkloadDetail, 'revisions' | 'gaps'>,
  nowMs: number,
): RevisionListRow[] {
  const spans = spansOf(revisions, nowMs);
  const missing = toRanges(gaps);
  const rows: RevisionListRow[] = [];
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
      record: last?.record ?? null,
    });
  }
  return [...rows, ...missing.map(gapRow)];
}

interface NumberRange {
  from: number;
  to: number;
}

/** Consecutive numbers together, highest first. */
function toRanges(numbers: readonly number[]): NumberRange[] {
  const runs: NumberRange[] = [];
  for (const number of numbers.toSorted((a, b) => b - a)) {
    const last = runs.at(-1);
    if (last && last.from - 1 === number) last.from = number;
    else runs.push({ from: number, to: number });
  }
  return runs;
}

function gapRow(run: NumberRange | undefined): RevisionListRow {
  const { from = 0, to = 0 } = run ?? {};
  return { kind: 'gap', key: `gap ${to}`, from, to };
}
