import {
  revisionIdOfRow,
  type RevisionListRow,
  type RevisionRowItem,
} from '@/components/revisions/revision-rows';
import type { RevisionItem } from '@/lib/api/revisions';
import { formatRev } from '@/lib/history/revision';

/** Two revisions to compare, by id, the older first. */
export interface RevisionPair {
  from: string;
  to: string;
}

/** The rows that the viewer selected, by key, in the order of selection; at most two. */
export interface PairSelection {
  from: string | null;
  to: string | null;
}

/** A revision whose template has expired from the archive, or cannot be decoded, cannot be compared. */
export function isComparable({ archived, unreadable }: RevisionItem): boolean {
  return archived?.hasTemplate !== false && unreadable === undefined;
}

export function isSelected({ from, to }: PairSelection, key: string): boolean {
  return from === key || to === key;
}

/** Selects a row, or clears it. A third one takes the place of the first. */
export function toggleSelected({ from, to }: PairSelection, key: string): PairSelection {
  if (from === key) return { from: to, to: null };
  if (to === key) return { from, to: null };
  if (from === null) return { from: key, to };
  return to === null ? { from, to: key } : { from: to, to: key };
}

/**
 * What a comparison would show: the two selected rows; of one, or of the row at the cursor, what ran before it too.
 * A selection survives changes of the history. Null where nothing is selected or there is nothing to compare with.
 */
export function selectedPair(
  rows: readonly RevisionListRow[],
  { from, to }: PairSelection,
  at: string | null,
): RevisionPair | null {
  if (from === null || to === null) {
    const key = from ?? to ?? at;
    return key === null ? null : pairWithPrevious(rows, key);
  }
  const place = (key: string) => rows.findIndex((row) => row.key === key);
  const [first, second] = [revisionIdOfRow(from), revisionIdOfRow(to)];
  if (first === second) return null;
  // The newest is on top; what is no longer in the list is older than what is.
  const isReversed = place(from) !== -1 && (place(to) === -1 || place(from) < place(to));
  return isReversed ? { from: second, to: first } : { from: first, to: second };
}

/** The target and what ran before it, regardless of the selection and of the rollback target. */
export function targetPair(revisions: readonly RevisionItem[]): RevisionPair | null {
  const target = revisions.find((each) => each.target && isComparable(each)) ?? revisions.find(isComparable);
  return target === undefined ? null : pairOf(target, target.before?.id, olderThan(revisions, target));
}

/** What ran before a row, and the row: the usual comparison. Null for the first. */
function pairWithPrevious(rows: readonly RevisionListRow[], key: string): RevisionPair | null {
  const listed = rows.filter((row): row is RevisionRowItem => row.kind === 'revision');
  const row = listed.find((each) => each.key === key);
  if (row === undefined) return null;
  const revisions = listed.map(({ revision }) => revision);
  return pairOf(row.revision, row.change.before?.id, revisions.slice(listed.indexOf(row) + 1), revisions);
}

function pairOf(
  own: RevisionItem,
  before: string | undefined,
  older: readonly RevisionItem[],
  all: readonly RevisionItem[] = older,
): RevisionPair | null {
  if (!isComparable(own)) return null;
  const ran = all.find(({ id }) => id === before);
  const previous =
    ran !== undefined && isComparable(ran)
      ? ran
      : older.find((each) => each.id !== own.id && isComparable(each));
  return previous === undefined ? null : { from: previous.id, to: own.id };
}

function olderThan(revisions: readonly RevisionItem[], own: RevisionItem): readonly RevisionItem[] {
  const older = revisions.slice(revisions.indexOf(own) + 1);
  // What ran before may have a higher number by now.
  return [...older, ...revisions.filter(({ id }) => id === own.before?.id)];
}

/** "rev 4": the label of an id; of a revision that was pruned meanwhile, a text that says so. */
export function pairSideLabel(revisions: readonly RevisionItem[], id: string): string {
  const revision = revisions.find((each) => each.id === id);
  return revision === undefined ? 'a deleted revision' : formatRev(revision);
}
