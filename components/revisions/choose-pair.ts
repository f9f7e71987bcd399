import { type RevisionItem } from '@/lib/api/workloads';

/** Two revisions to compare, by id. */
export interface Pair {
  from: string | null;
  to: string | null;
}

/** A revision whose template has expired from the archive, or cannot be read, has nothing to compare. */
export function isComparable({ archived, unreadable }: RevisionItem): boolean {
  return archived?.hasTemplate !== false && unreadable === undefined;
}

/**
 * What is chosen for comparison: a choice stays, also while the history changes under it; without one, the target and
 * what ran before it. A side is null where only the other one itself would be left.
 */
export function pairOf(revisions: readonly RevisionItem[], chosen: Pair): Pair {
  const usual = usualPair(revisions);
  const to = chosen.to ?? (usual.to === chosen.from ? null : usual.to);
  const from = chosen.from ?? (usual.from === to ? null : usual.from);
  return { from, to };
}

/** The target and what ran before it, whatever is chosen and wherever a rollback would go. */
export function usualPair(revisions: readonly RevisionItem[]): Pair {
  const to = (revisions.find((each) => each.target && isComparable(each)) ?? revisions.find(isComparable))
    ?.id;
  if (to === undefined) return { from: null, to: null };
  return pairWithBefore(revisions, to) ?? { from: null, to };
}

/** Both sides, where there are two that differ. */
export function isComplete(pair: Pair): pair is { from: string; to: string } {
  return pair.from !== null && pair.to !== null && pair.from !== pair.to;
}

/** What ran before a revision, and the revision itself: what a reader wants to see of it. Null for the first. */
export function pairWithBefore(revisions: readonly RevisionItem[], id: string): Pair | null {
  const index = revisions.findIndex((revision) => revision.id === id);
  const own = revisions[index];
  if (own === undefined || !isComparable(own)) return null;
  const ran = revisions.find((revision) => revision.id === own.before?.id && isComparable(revision));
  const before = ran ?? revisions.slice(index + 1).find(isComparable);
  return before === undefined ? null : { from: before.id, to: id };
}

/** The pair one step older (1) or newer (-1): a revision with the one before it. Null at either end. */
export function stepPair(revisions: readonly RevisionItem[], pair: Pair, step: 1 | -1): Pair | null {
  const index = revisions.findIndex((revision) => revision.id === pair.to);
  const next = revisions[index + step];
  return index === -1 || next === undefined ? null : pairWithBefore(revisions, next.id);
}

/** "42", or the name of its object where it has no number. */
export function revisionLabel({ number, name }: Pick<RevisionItem, 'number' | 'name'>): string {
  return number === null ? name : String(number);
}

/** The label of a chosen id; of one that is gone meanwhile, that it is. */
export function labelOf(revisions: readonly RevisionItem[], id: string | null): string {
  if (id === null) return 'none';
  const revision = revisions.find((each) => each.id === id);
  return revision ? revisionLabel(revision) : 'one that is gone';
}

/** "rev 3", what the change of a revision is told against; null where that ran before it and is the next one of the list. */
export function againstLabel(revisions: readonly RevisionItem[], revision: RevisionItem): string | null {
  const { before } = revision;
  if (before === undefined) return null;
  const isNext = revisions[revisions.indexOf(revision) + 1]?.id === before.id;
  if (isNext && before.ran) return null;
  const listed = revisions.find(({ id }) => id === before.id);
  const number = before.number ?? listed?.number ?? null;
  return number === null ? (listed?.name ?? 'an earlier revision') : `rev ${number}`;
}
