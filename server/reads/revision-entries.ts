import 'server-only';
import { mergeActivations, type MergedActivation } from '@/lib/history/recorded';
import { compareTimes } from '@/lib/history/order';
import { type History, type Revision } from '@/lib/history/revision';
import { type ArchivedRevision } from '@/lib/ledger/record';
import { type ArchivedLife } from '@/server/reads/archive-part';
import { numberOfArchived } from '@/server/reads/find-revision';
import { withOwnCause } from '@/server/reads/own-cause';

interface Common {
  id: string;
  number: number | null;
  name: string;
  createdAt: string;
  /** Null where the archive has never seen it. */
  hash: string | null;
  activations: readonly MergedActivation[];
}

/** A revision of a life, wherever it still is. */
export type RevisionEntry = Common &
  /** `known`: all numbers that the archive has seen it bear. */
  (
    | { kind: 'retained'; revision: Revision; known: readonly number[] }
    | { kind: 'archived'; revision: ArchivedRevision; hasTemplate: boolean }
  );

/**
 * The revisions of one life, newest first, in the order of the cluster's own. The archive's are those that the cluster has
 * pruned; where it can't be told what the cluster has, those that were known to be pruned.
 */
export function revisionEntries(
  { revisions, target }: Pick<History, 'revisions' | 'target'>,
  { revisions: known, activations, whole }: ArchivedLife,
  isComplete: boolean,
): RevisionEntry[] {
  const retained = new Set(revisions.map(({ id }) => id));
  const pruned = known.filter(({ id, prunedAt }) => !retained.has(id) && (isComplete || prunedAt !== null));
  const hashes = new Map(known.map(({ id, hash }) => [id, hash]));
  const numbers = new Map(known.map((each) => [each.id, each.numbers]));
  const bearers = [
    ...revisions.map((revision) => ({
      id: revision.id,
      hash: hashes.get(revision.id) ?? null,
      number: revision.number,
      numbers: [...revision.alsoNumbers, ...(revision.number === null ? [] : [revision.number])],
      target: revision === target,
      activations: revision.activations,
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
  const merged = mergeActivations(bearers, activations);
  const common = (id: string) => ({ hash: hashes.get(id) ?? null, activations: merged.get(id) ?? [] });
  const entries: RevisionEntry[] = [
    ...revisions.map((revision) => {
      const { id, number, name, createdAt } = revision;
      const borne = numbers.get(id) ?? [];
      return {
        kind: 'retained' as const,
        ...{ id, number, name, createdAt, known: borne, ...common(id) },
        revision: withOwnCause(revision, known),
      };
    }),
    ...pruned.map((revision) => {
      const { id, name, createdAt, hash } = revision;
      const number = numberOfArchived(revision);
      const hasTemplate = whole.has(hash);
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
