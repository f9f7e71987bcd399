import type { Observation, ObservedRevision } from '@/lib/records/observation';
import type { ArchivedRevision } from '@/lib/api/incarnation';

type KnownRevisions = ReadonlyMap<string, ArchivedRevision>;

/** The revisions of an incarnation merged with those that the cluster has now: which to save, and all of them. */
export function updateRevisions(
  known: KnownRevisions,
  {
    incarnation: { uid: workloadUid },
    revisions: observed,
    at,
  }: Pick<Observation, 'incarnation' | 'revisions' | 'at'>,
  isCauseOfAnother: (revision: ObservedRevision) => boolean,
): { revisions: KnownRevisions; changed: readonly ArchivedRevision[] } {
  const changed = [
    ...observed.flatMap((revision) =>
      updateRevision(
        known.get(revision.id),
        workloadUid,
        withOwnCause(known, observed, revision, isCauseOfAnother),
        at,
      ),
    ),
    ...markPruned(known, new Set(observed.map(({ id }) => id)), at),
  ];
  if (changed.length === 0) return { revisions: known, changed };
  return { revisions: new Map([...known, ...changed.map((entry) => [entry.id, entry] as const)]), changed };
}

/** Whether the workload had the cause of a revision for an earlier revision too, unchanged since. */
export function isCopiedFromWorkload(
  known: KnownRevisions,
  { id, changeCause, isCauseLent }: ObservedRevision,
): boolean {
  if (isCauseLent !== true || changeCause === null) return false;
  return [...known.values()].some((other) => other.id !== id && other.changeCause === changeCause);
}

/** As it is kept, its cause may be one of an earlier observation. */
type KeptRevision = Omit<ObservedRevision, 'changeCause'> & Pick<ArchivedRevision, 'changeCause'>;

/** A cause that a known revision has only now got, and that belongs to another revision, is not its own. */
function withOwnCause(
  known: KnownRevisions,
  observed: readonly ObservedRevision[],
  revision: ObservedRevision,
  isCauseOfAnother: (revision: ObservedRevision) => boolean,
): KeptRevision {
  if (isCopiedFromWorkload(known, revision)) return { ...revision, changeCause: null };
  const before = known.get(revision.id);
  const { changeCause } = revision;
  if (before === undefined || changeCause === null || before.changeCause === changeCause) return revision;
  const isCopied = [...known.values(), ...observed].some(
    (other) => other.id !== revision.id && other.changeCause === changeCause,
  );
  return isCopied || isCauseOfAnother(revision) ? { ...revision, changeCause: before.changeCause } : revision;
}

/** Those that the cluster had at the last observation and no longer has. */
export function markPruned(
  known: KnownRevisions,
  currentIds: ReadonlySet<string>,
  at: string,
): ArchivedRevision[] {
  return [...known.values()]
    .filter(({ id, prunedAt }) => prunedAt === null && !currentIds.has(id))
    .map((revision) => ({ ...revision, prunedAt: at }));
}

function updateRevision(
  known: ArchivedRevision | undefined,
  workloadUid: string,
  observed: KeptRevision,
  at: string,
): ArchivedRevision[] {
  const number = observed.number === null ? [] : [observed.number];
  const numbers = [...new Set([...(known?.numbers ?? []), ...observed.formerNumbers, ...number])];
  // Where the workload carries the cause of its target, the next target replaces it.
  const changeCause = observed.changeCause ?? known?.changeCause ?? null;
  const isSame =
    known?.prunedAt === null &&
    known.hash === observed.hash &&
    known.changeCause === changeCause &&
    known.numbers.length === numbers.length;
  if (isSame) return [];
  return [
    {
      workloadUid,
      id: observed.id,
      hash: observed.hash,
      numbers: numbers.sort((a, b) => a - b),
      name: observed.name,
      changeCause,
      images: observed.images,
      createdAt: observed.createdAt,
      firstSeenAt: known?.firstSeenAt ?? at,
      prunedAt: null,
    },
  ];
}
