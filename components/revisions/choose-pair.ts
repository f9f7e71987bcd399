import { type RevisionItem } from '@/lib/api/workloads';

/** Two revisions to compare, by id. */
export interface Pair {
  from: string | null;
  to: string | null;
}

/** A history, and what a rollback offers first. */
export interface Compared {
  revisions: readonly RevisionItem[];
  defaultTarget: { id: string } | null;
}

/** A revision whose template has expired from the archive, or cannot be read, has nothing to compare. */
export function isComparable({ archived, unreadable }: RevisionItem): boolean {
  return archived?.hasTemplate !== false && unreadable === undefined;
}

/**
 * What is chosen for comparison: what somebody chose stays, also while the history changes under it; where nobody did,
 * the way back and the target. A side is null where only the other one itself would be left.
 */
export function pairOf(detail: Compared, chosen: Pair): Pair {
  const usual = usualPair(detail);
  const to = chosen.to ?? (usual.to === chosen.from ? null : usual.to);
  const from = chosen.from ?? (usual.from === to ? null : usual.from);
  return { from, to };
}

/** The way back and the target, whatever is chosen. */
export function usualPair({ revisions: all, defaultTarget }: Compared): Pair {
  const revisions = all.filter(isComparable);
  const to = (revisions.find((revision) => revision.target) ?? revisions[0])?.id ?? null;
  const from = defaultTarget?.id ?? revisions.find((revision) => revision.id !== to)?.id ?? null;
  return { from: from === to ? null : from, to };
}

/** Both sides, where there are two that differ. */
export function isComplete(pair: Pair): pair is { from: string; to: string } {
  return pair.from !== null && pair.to !== null && pair.from !== pair.to;
}

/** The revision before in the list, and the revision itself: what a reader wants to see of it. Null for the first. */
export function pairWithBefore(revisions: readonly RevisionItem[], id: string): Pair | null {
  const index = revisions.findIndex((revision) => revision.id === id);
  const before = revisions.slice(index + 1).find(isComparable);
  const own = revisions[index];
  if (own !== undefined && !isComparable(own)) return null;
  return index === -1 || before === undefined ? null : { from: before.id, to: id };
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
