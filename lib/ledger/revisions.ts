import { type Observation, type ObservedRevision } from '@/lib/ledger/observation';
import { type ArchivedRevision } from '@/lib/ledger/record';

type Known = ReadonlyMap<string, ArchivedRevision>;

/** The revisions of a life with those that the cluster has now: what has to be kept anew, and all of them. */
export function rememberRevisions(
  known: Known,
  { life: { uid: workloadUid }, revisions: seen, at }: Pick<Observation, 'life' | 'revisions' | 'at'>,
  isOfAnother: (revision: ObservedRevision) => boolean,
): { revisions: Known; changed: readonly ArchivedRevision[] } {
  const changed = [
    ...seen.flatMap((revision) =>
      remember(known.get(revision.id), workloadUid, withOwnCause(known, revision, isOfAnother), at),
    ),
    ...prune(known, new Set(seen.map(({ id }) => id)), at),
  ];
  if (changed.length === 0) return { revisions: known, changed };
  return { revisions: new Map([...known, ...changed.map((entry) => [entry.id, entry] as const)]), changed };
}

/** Whether the workload bore the cause of a revision for another one before, and nobody has touched it since. */
export function isLentCopy(known: Known, { id, changeCause, isCauseLent }: ObservedRevision): boolean {
  if (isCauseLent !== true || changeCause === null) return false;
  return [...known.values()].some((other) => other.id !== id && other.changeCause === changeCause);
}

/** What a known revision has got lately that is the cause of another one is none of its own. */
function withOwnCause(
  known: Known,
  revision: ObservedRevision,
  isOfAnother: (revision: ObservedRevision) => boolean,
): ObservedRevision {
  if (isLentCopy(known, revision)) return { ...revision, changeCause: null };
  const before = known.get(revision.id);
  const { changeCause } = revision;
  if (before === undefined || changeCause === null || before.changeCause === changeCause) return revision;
  const isCopied = [...known.values()].some((other) => other !== before && other.changeCause === changeCause);
  return isCopied || isOfAnother(revision) ? { ...revision, changeCause: before.changeCause } : revision;
}

/** Those that the cluster had when it was last looked at, and has no more. */
export function prune(known: Known, present: ReadonlySet<string>, at: string): ArchivedRevision[] {
  return [...known.values()]
    .filter(({ id, prunedAt }) => prunedAt === null && !present.has(id))
    .map((revision) => ({ ...revision, prunedAt: at }));
}

function remember(
  known: ArchivedRevision | undefined,
  workloadUid: string,
  seen: ObservedRevision,
  at: string,
): ArchivedRevision[] {
  const number = seen.number === null ? [] : [seen.number];
  const numbers = [...new Set([...(known?.numbers ?? []), ...seen.formerNumbers, ...number])];
  // Where the workload carries the cause of its target, that is gone with the next one.
  const changeCause = seen.changeCause ?? known?.changeCause ?? null;
  const isSame =
    known?.prunedAt === null &&
    known.hash === seen.hash &&
    known.changeCause === changeCause &&
    known.numbers.length === numbers.length;
  if (isSame) return [];
  return [
    {
      workloadUid,
      id: seen.id,
      hash: seen.hash,
      numbers: numbers.sort((a, b) => a - b),
      name: seen.name,
      changeCause,
      images: seen.images,
      createdAt: seen.createdAt,
      firstSeenAt: known?.firstSeenAt ?? at,
      prunedAt: null,
    },
  ];
}
