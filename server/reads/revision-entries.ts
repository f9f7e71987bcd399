import 'server-only';
import { mergeActivations, type MergedActivation } from '@/lib/records/recorded-history';
import { compareTimes } from '@/lib/history/revision-order';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import type { ArchivedRevision } from '@/lib/api/incarnation';
import type { ArchivedIncarnation } from '@/server/views/query-archive';
import { numberOfArchived } from '@/server/views/find-revision';
import { isActivatedHere } from '@/server/reads/adopted-incarnation';

interface RevisionEntryBase {
  id: string;
  number: number | null;
  name: string;
  createdAt: string;
  /** Null where the archive has never observed it. */
  hash: string | null;
  activations: readonly MergedActivation[];
}

/** A revision of an incarnation, wherever it is still stored. */
export type RevisionEntry = RevisionEntryBase &
  /** `known`: all numbers that the archive has recorded for it. */
  (
    | { kind: 'retained'; revision: Revision; known: readonly number[] }
    | { kind: 'archived'; revision: ArchivedRevision; hasTemplate: boolean }
  );

/**
 * The revisions of one incarnation, newest first, in the order of the cluster's own. The archive's are those that the
 * cluster has pruned; where the cluster's are unknown, those that were known to be pruned.
 */
export function revisionEntries(
  { revisions, target }: Pick<RevisionHistory, 'revisions' | 'target'>,
  { revisions: known, activations, unmaskedHashes }: ArchivedIncarnation,
  isComplete: boolean,
): RevisionEntry[] {
  const retained = new Set(revisions.map(({ id }) => id));
  const pruned = known.filter(({ id, prunedAt }) => !retained.has(id) && (isComplete || prunedAt !== null));
  const hashes = new Map(known.map(({ id, hash }) => [id, hash]));
  const numbers = new Map(known.map((each) => [each.id, each.numbers]));
  const candidates = [
    ...revisions.map((revision) => ({
      id: revision.id,
      hash: hashes.get(revision.id) ?? null,
      number: revision.number,
      numbers: [...revision.alsoNumbers, ...(revision.number === null ? [] : [revision.number])],
      target: revision === target,
      activations: revision.activations.filter(
        ({ number }) =>
          !revision.numbersBefore.includes(number) || !isActivatedHere(revision, number, activations),
      ),
    })),
    ...pruned.map((revision) => ({
      id: revision.id,
      hash: revision.hash,
      number: numberOfArchived(revision),
      numbers: revision.numbers,
      target: false,
      activations: [],
    })),
  ];
  const merged = mergeActivations(candidates, activations);
  const common = (id: string) => ({ hash: hashes.get(id) ?? null, activations: merged.get(id) ?? [] });
  const entries: RevisionEntry[] = [
    ...revisions.map((revision) => {
      const { id, number, name, createdAt } = revision;
      const allNumbers = numbers.get(id) ?? [];
      return {
        kind: 'retained' as const,
        ...{ id, number, name, createdAt, known: allNumbers, ...common(id) },
        revision: withOwnCause(revision, known),
      };
    }),
    ...pruned.map((revision) => {
      const { id, name, createdAt, hash } = revision;
      const number = numberOfArchived(revision);
      const hasTemplate = unmaskedHashes.has(hash);
      return { kind: 'archived' as const, id, number, name, createdAt, revision, hasTemplate, ...common(id) };
    }),
  ];
  return entries.sort(compareNewestFirst);
}

function compareNewestFirst(a: RevisionEntry, b: RevisionEntry): number {
  const numberA = a.number ?? -Infinity;
  const numberB = b.number ?? -Infinity;
  if (numberA !== numberB) return numberA < numberB ? 1 : -1;
  const byTime = compareTimes(b.createdAt, a.createdAt);
  if (byTime !== 0) return byTime;
  return a.name < b.name ? 1 : a.name > b.name ? -1 : 0;
}

/**
 * The revision with the change cause that was given for it, where the archive observed that: a controller copies the
 * workload's annotation to its newest revision, so that the cause of a change stands on the revision before it as well.
 */
export function withOwnCause(revision: Revision, known: readonly ArchivedRevision[]): Revision {
  const own = known.find(({ id }) => id === revision.id);
  if (own === undefined) return revision;
  const { changeCause } = revision;
  const isOfAnother =
    changeCause !== own.changeCause && known.some((other) => other.changeCause === changeCause);
  if (changeCause === null || isOfAnother)
    return { ...revision, changeCause: own.changeCause, causeInheritedFrom: null };
  const origin = known.find(({ numbers }) => numbers.includes(revision.causeInheritedFrom ?? NaN));
  const isInherited = origin === undefined || origin.changeCause === changeCause;
  return isInherited ? revision : { ...revision, causeInheritedFrom: null };
}
