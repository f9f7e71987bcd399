import type { WorkloadDetail } from '@/lib/api/workloads';
import type { RevisionChange, RevisionItem } from '@/lib/api/revisions';
import type { RolloutSummary } from '@/lib/api/records';
import { type Span, spansOf } from '@/lib/timeline/span';
import { versionsOf } from '@/lib/view/image-name';
import { type Moment, momentOf } from '@/lib/format/moment';

/** What the rows of the list are: every rollout, newest first, or every revision, by number. */
export type HistoryOrder = 'rollouts' | 'revisions';

export interface RevisionRowItem {
  kind: 'revision';
  /** Of the last activation the id of the revision; of an earlier one with its place. */
  key: string;
  revision: RevisionItem;
  /** The number that the revision had then. */
  number: number | null;
  /** The last activation of the revision: the row shows what is true of the revision now. */
  isLast: boolean;
  /** In a list of rollouts: the number under which its template was the target before. */
  sameAs: { number: number | null } | null;
  /** Of its images, the parts that differ from its neighbors. */
  version: string;
  active: Moment;
  span: Span | null;
  /** The rollout that the activation began with. */
  record: RolloutSummary | null;
  change: RevisionChange;
}

export type RevisionListRow =
  | RevisionRowItem
  /** Numbers that must have existed and that no object has any longer, highest first. */
  | { kind: 'gap'; key: string; from: number; to: number };

type History = Pick<WorkloadDetail, 'revisions' | 'gaps'>;

/** Between the id of a revision and the place of one of its earlier activations. */
const PLACE = '@';

/** The id of the revision that a row is of. */
export function revisionIdOfRow(key: string): string {
  return /^(.*)@\d+$/s.exec(key)?.[1] ?? key;
}

/** The history newest first, with a row for each gap. */
export function buildHistoryRows(history: History, nowMs: number, order: HistoryOrder): RevisionListRow[] {
  const rows = order === 'rollouts' ? rolloutRows(history, nowMs) : revisionRows(history, nowMs);
  const versions = versionsOf(rows.map(({ revision }) => revision));
  return withGaps(
    rows.map((row, index) => ({ ...row, version: versions[index] ?? '' })),
    history.gaps,
  );
}

/** Whether anything is known of when its revisions were the target. */
export function hasRollouts({ revisions }: Pick<History, 'revisions'>): boolean {
  return revisions.some(({ activations }) => activations.length > 0);
}

function revisionRows({ revisions }: History, nowMs: number): RevisionRowItem[] {
  const spans = spansOf(revisions, nowMs);
  return revisions.map((revision) => rowOf(revision, revision.activations.length - 1, spans, null));
}

/** A revision that was the target twice is there twice; one of unknown times is at the place of its number. */
function rolloutRows({ revisions }: History, nowMs: number): RevisionRowItem[] {
  const spans = spansOf(revisions, nowMs);
  const activated = revisions
    .flatMap((revision) =>
      revision.activations.map((_, place) => rowOf(revision, place, spans, templateBefore(revision, place))),
    )
    .toSorted(
      (a, b) =>
        Number(isOpen(b)) - Number(isOpen(a)) ||
        (b.span?.startMax ?? 0) - (a.span?.startMax ?? 0) ||
        (b.number ?? 0) - (a.number ?? 0),
    );
  const unknown = revisions.filter(
    ({ activations, fault }) => activations.length === 0 && fault === undefined,
  );
  for (const revision of unknown) {
    const older = activated.findIndex(({ number }) => (number ?? 0) < (revision.number ?? 0));
    activated.splice(older === -1 ? activated.length : older, 0, rowOf(revision, -1, spans, null));
  }
  return activated;
}

function isOpen({ revision, isLast }: RevisionRowItem): boolean {
  return isLast && revision.activations.at(-1)?.open === true;
}

/** The earlier number of the template; without one in the cluster and the archive, only that there was one. */
function templateBefore(revision: RevisionItem, place: number): RevisionRowItem['sameAs'] {
  const former = revision.activations[place - 1];
  if (former !== undefined) return { number: former.number };
  const number = revision.activations[place]?.number ?? revision.number;
  const known = revision.alsoNumbers.findLast((other) => number !== null && other < number);
  if (known !== undefined) return { number: known };
  const isLast = place === revision.activations.length - 1;
  return isLast && revision.explanation !== null ? { number: null } : null;
}

function rowOf(
  revision: RevisionItem,
  place: number,
  spans: ReturnType<typeof spansOf>,
  sameAs: RevisionRowItem['sameAs'],
): RevisionRowItem {
  const activation = revision.activations[place];
  const isLast = place === revision.activations.length - 1;
  const own = spans.filter(({ revisionId }) => revisionId === revision.id);
  return {
    kind: 'revision',
    key: isLast ? revision.id : `${revision.id}${PLACE}${place}`,
    revision,
    number: isLast ? revision.number : (activation?.number ?? null),
    isLast,
    sameAs,
    version: '',
    active: activation
      ? momentOf(activation.from, activation.fromNotBefore, activation.fromNotAfter)
      : { kind: 'unknown' },
    span: own[place]?.span ?? null,
    record: activation?.record ?? null,
    change: (isLast ? revision : activation?.change) ?? { summary: null, risks: 0, restart: false },
  };
}

function withGaps(rows: readonly RevisionRowItem[], gaps: readonly number[]): RevisionListRow[] {
  const missing = toRanges(gaps);
  const all: RevisionListRow[] = [];
  for (const row of rows) {
    while (missing[0] && missing[0].to > (row.number ?? -Infinity)) all.push(gapRow(missing.shift()));
    all.push(row);
  }
  return [...all, ...missing.map(gapRow)];
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
