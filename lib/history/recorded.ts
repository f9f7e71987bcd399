import { compareTimes } from '@/lib/history/order';
import { type Activation } from '@/lib/history/revision';
import { templateKeys } from '@/lib/ledger/meaning';
import { type ArchivedActivation } from '@/lib/ledger/record';

/** A revision with the activations that the cluster proves: none where only the archive has it. */
export interface Bearer {
  id: string;
  /** Null where the archive has never seen it. */
  hash: string | null;
  /** The present or last one. */
  number: number | null;
  /** All that it had. */
  numbers: readonly number[];
  target: boolean;
  /** Oldest first. */
  activations: readonly Activation[];
}

export interface MergedActivation extends Activation {
  /** That of the archive, with which its record is found; null where only the cluster proves the activation. */
  index: number | null;
}

/**
 * The activations of each revision by id, oldest first. Where the archive saw a revision become the target, that replaces
 * what its numbers prove; kept of these is what came before the archive's first look or after its last one. At most one is
 * open: that of the target.
 */
export function mergeActivations(
  bearers: readonly Bearer[],
  recorded: readonly ArchivedActivation[],
): Map<string, MergedActivation[]> {
  const ofBearer = assign(bearers, recorded);
  const range = rangeOf(recorded);
  const last = recorded.at(-1);
  return new Map(
    bearers.map((bearer) => {
      const own = ofBearer.get(bearer.id) ?? [];
      if (own.length === 0) return [bearer.id, bearer.activations.map(derived)];
      const numbers = new Set(own.map(({ revision }) => revision.number));
      const unseen = bearer.activations.filter(({ number }) => !numbers.has(number));
      return [
        bearer.id,
        [
          ...unseen.filter(({ number }) => number < range.first).map(derived),
          ...own.map((entry) => told(entry, bearer, entry === last)),
          ...unseen.filter(({ number, open }) => open || number > range.last).map(derived),
        ],
      ];
    }),
  );
}

/** By id; an activation of a template that no source object recorded then belongs to whoever carries it later. */
function assign(
  bearers: readonly Bearer[],
  recorded: readonly ArchivedActivation[],
): Map<string, ArchivedActivation[]> {
  const byId = new Map(bearers.map((bearer) => [bearer.id, bearer]));
  const keyOf = templateKeys(recorded.map(({ revision }) => revision));
  const byTemplate = Map.groupBy(bearers, ({ hash }) => hash && keyOf(hash));
  const assigned = new Map<string, ArchivedActivation[]>();
  for (const entry of recorded) {
    const { id, hash, number } = entry.revision;
    const same = byTemplate.get(keyOf(hash));
    const bearer =
      (id === null ? undefined : byId.get(id)) ??
      same?.find(({ numbers }) => number !== null && numbers.includes(number)) ??
      same?.[0];
    if (bearer === undefined) continue;
    const list = assigned.get(bearer.id) ?? [];
    list.push(entry);
    assigned.set(bearer.id, list);
  }
  return assigned;
}

function rangeOf(recorded: readonly ArchivedActivation[]): { first: number; last: number } {
  const numbers = recorded.flatMap(({ revision: { number } }) => (number === null ? [] : [number]));
  return { first: numbers[0] ?? -Infinity, last: numbers.at(-1) ?? Infinity };
}

function derived({ number, from, fromNotBefore, fromNotAfter, to, open }: Activation): MergedActivation {
  return { number, from, fromNotBefore, fromNotAfter, to, open, index: null };
}

/** What nobody saw, the numbers in the cluster may still prove or bound. */
function told(
  { index, revision, from: seen, fromNotAfter, to }: ArchivedActivation,
  { number: present, target, activations }: Bearer,
  isLast: boolean,
): MergedActivation {
  const isOwn = ({ number }: Activation) => number === revision.number;
  // A number that is kept for ever may have been asked for more than once.
  const proven = isLast ? activations.findLast(isOwn) : activations.find(isOwn);
  const open = target && isLast && to === null && revision.number === present;
  const from = seen ?? proven?.from ?? null;
  return {
    number: revision.number ?? present ?? 0,
    from,
    fromNotBefore: from === null ? (proven?.fromNotBefore ?? null) : null,
    fromNotAfter: from === null ? earlierOf(fromNotAfter, proven?.fromNotAfter ?? null) : null,
    to: open ? null : (to ?? proven?.to ?? null),
    open,
    index,
  };
}

function earlierOf(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return compareTimes(a, b) <= 0 ? a : b;
}
