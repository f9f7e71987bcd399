import { earlierOf } from '@/lib/history/revision-order';
import type { Activation } from '@/lib/api/revisions';
import { templateKeys } from '@/lib/records/template-meaning';
import type { ArchivedActivation } from '@/lib/api/incarnation';

/** A revision with the activations that the cluster proves: none where only the archive has it. */
export interface ProvenRevision {
  id: string;
  /** Null where the archive has no observation of it. */
  hash: string | null;
  /** The current or last one. */
  number: number | null;
  /** All its activations. */
  numbers: readonly number[];
  target: boolean;
  /** Oldest first. */
  activations: readonly Activation[];
}

export interface MergedActivation extends Activation {
  /**
   * Its id in the archive, under which its record is found; null where only the cluster proves the
   * activation.
   */
  index: number | null;
}

/**
 * The activations of each revision by id, oldest first. Where the archive observed a revision become the
 * target, that replaces what its numbers prove, except for activations before the archive's first observation
 * or after its last one. At most one is open: that of the target.
 */
export function mergeActivations(
  proven: readonly ProvenRevision[],
  recorded: readonly ArchivedActivation[],
): Map<string, MergedActivation[]> {
  const byRevision = assignActivations(proven, recorded);
  const range = numberRangeOf(recorded);
  const last = recorded.at(-1);
  return new Map(
    proven.map((match) => {
      const own = byRevision.get(match.id) ?? [];
      if (own.length === 0) return [match.id, match.activations.map(fromCluster)];
      const numbers = new Set(own.map(({ revision }) => revision.number));
      const notRecorded = match.activations.filter(({ number }) => !numbers.has(number));
      return [
        match.id,
        [
          ...notRecorded.filter(({ number }) => number < range.first).map(fromCluster),
          ...own.map((entry) => fromArchive(entry, match, entry === last)),
          ...notRecorded.filter(({ number, open }) => open || number > range.last).map(fromCluster),
        ],
      ];
    }),
  );
}

/**
 * By id; an activation of a template that no source object recorded then belongs to the revision that carries
 * it later.
 */
function assignActivations(
  proven: readonly ProvenRevision[],
  recorded: readonly ArchivedActivation[],
): Map<string, ArchivedActivation[]> {
  const byId = new Map(proven.map((match) => [match.id, match]));
  const keyOf = templateKeys(recorded.map(({ revision }) => revision));
  const byTemplate = Map.groupBy(proven, ({ hash }) => hash && keyOf(hash));
  const assigned = new Map<string, ArchivedActivation[]>();
  for (const entry of recorded) {
    const { id, hash, number } = entry.revision;
    const sameTemplate = byTemplate.get(keyOf(hash));
    const match =
      (id === null ? undefined : byId.get(id)) ??
      sameTemplate?.find(({ numbers }) => number !== null && numbers.includes(number)) ??
      sameTemplate?.[0];
    if (match === undefined) continue;
    const list = assigned.get(match.id) ?? [];
    list.push(entry);
    assigned.set(match.id, list);
  }
  return assigned;
}

function numberRangeOf(recorded: readonly ArchivedActivation[]): { first: number; last: number } {
  const numbers = recorded.flatMap(({ revision: { number } }) => (number === null ? [] : [number]));
  return { first: numbers[0] ?? -Infinity, last: numbers.at(-1) ?? Infinity };
}

function fromCluster({ number, from, fromNotBefore, fromNotAfter, to, open }: Activation): MergedActivation {
  return { number, from, fromNotBefore, fromNotAfter, to, open, index: null };
}

/** The numbers in the cluster may still prove or bound what was not observed. */
function fromArchive(
  { index, revision, from: seen, fromNotAfter, to }: ArchivedActivation,
  { number: currentNumber, target, activations }: ProvenRevision,
  isLast: boolean,
): MergedActivation {
  const isOwn = ({ number }: Activation) => number === revision.number;
  // A revision with a permanent number may have been the target more than once.
  const proven = isLast ? activations.findLast(isOwn) : activations.find(isOwn);
  const open = target && isLast && to === null && revision.number === currentNumber;
  const from = seen ?? proven?.from ?? null;
  return {
    number: revision.number ?? currentNumber ?? 0,
    from,
    fromNotBefore: from === null ? (proven?.fromNotBefore ?? null) : null,
    fromNotAfter: from === null ? earlierOf(fromNotAfter, proven?.fromNotAfter ?? null) : null,
    to: open ? null : (to ?? proven?.to ?? null),
    open,
    index,
  };
}
