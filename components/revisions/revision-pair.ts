import { type RevisionItem } from '@/lib/api/revisions';
import { formatRevision } from '@/lib/history/revision';

/** Two revisions to compare, by id. */
export interface RevisionPair {
  from: string | null;
  to: string | null;
}

/** A revision whose template has expired from the archive, or cannot be decoded, cannot be compared. */
function isComparable({ archived, unreadable }: RevisionItem): boolean {
  return archived?.hasTemplate !== false && unreadable === undefined;
}

/**
 * The pair chosen for comparison. A choice survives changes of the history; the default is the target and what ran
 * before it. A side is null where it would equal the other one.
 */
export function resolvePair(revisions: readonly RevisionItem[], chosen: RevisionPair): RevisionPair {
  const fallback = targetPair(revisions);
  const to = chosen.to ?? (fallback.to === chosen.from ? null : fallback.to);
  const from = chosen.from ?? (fallback.from === to ? null : fallback.from);
  return { from, to };
}

/** The target and what ran before it, regardless of the choice and of the rollback target. */
export function targetPair(revisions: readonly RevisionItem[]): RevisionPair {
  const to = (revisions.find((each) => each.target && isComparable(each)) ?? revisions.find(isComparable))
    ?.id;
  if (to === undefined) return { from: null, to: null };
  return pairWithPrevious(revisions, to) ?? { from: null, to };
}

/** Both sides, where there are two that differ. */
export function isComplete(pair: RevisionPair): pair is { from: string; to: string } {
  return pair.from !== null && pair.to !== null && pair.from !== pair.to;
}

/** The previous revision and the revision itself: the usual comparison of a revision. Null for the first. */
export function pairWithPrevious(revisions: readonly RevisionItem[], id: string): RevisionPair | null {
  const index = revisions.findIndex((revision) => revision.id === id);
  const own = revisions[index];
  if (own === undefined || !isComparable(own)) return null;
  const ran = revisions.find((revision) => revision.id === own.before?.id && isComparable(revision));
  const before = ran ?? revisions.slice(index + 1).find(isComparable);
  return before === undefined ? null : { from: before.id, to: id };
}

/** The pair one step older (1) or newer (-1): a revision and the previous one. Null at either end. */
export function stepPair(
  revisions: readonly RevisionItem[],
  pair: RevisionPair,
  step: 1 | -1,
): RevisionPair | null {
  const index = revisions.findIndex((revision) => revision.id === pair.to);
  const next = revisions[index + step];
  return index === -1 || next === undefined ? null : pairWithPrevious(revisions, next.id);
}

/** The label of a chosen id; of a revision that was pruned meanwhile, a text that says so. */
export function pairSideLabel(revisions: readonly RevisionItem[], id: string | null): string {
  if (id === null) return 'none';
  const revision = revisions.find((each) => each.id === id);
  return revision ? formatRevision(revision) : 'one that is gone';
}

/** "rev 3": the revision that a change is relative to; null where it ran before and is the next one of the list. */
export function baseLabelOf(revisions: readonly RevisionItem[], revision: RevisionItem): string | null {
  const { before } = revision;
  if (before === undefined) return null;
  const isNext = revisions[revisions.indexOf(revision) + 1]?.id === before.id;
  if (isNext && before.ran) return null;
  const listed = revisions.find(({ id }) => id === before.id);
  const number = before.number ?? listed?.number ?? null;
  return number === null ? (listed?.name ?? 'an earlier revision') : `rev ${number}`;
}
