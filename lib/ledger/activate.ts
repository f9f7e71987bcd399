import { isSameTemplate, withMeaning } from '@/lib/ledger/meaning';
import { earlier, later } from '@/lib/ledger/moments';
import { type LedgerTools, type ObservedActivation, type Observation } from '@/lib/ledger/observation';
import { type ArchivedActivation, type RevisionRef } from '@/lib/ledger/record';

/** An activation that nobody knew of, with what the cluster proves of its beginning. */
export interface Begun {
  activation: ArchivedActivation;
  /** Bound of an unknown start. */
  notBefore: string | null;
  /** The target before it, where it is certain. */
  previous: RevisionRef | null;
  /** Still the target; of the others neither the course nor the end was seen. */
  isPresent: boolean;
}

/**
 * The activations that have begun since the last known one, in order. A higher number is a later activation, whatever
 * carries it; under equal or lower numbers (revisions deleted by hand) the present target counts when its template differs.
 * Until `watchedUntil` nothing else had begun; null after a gap, where nothing is concluded from the time of the observation.
 */
export function findBegun(
  known: readonly ArchivedActivation[],
  observation: Observation,
  watchedUntil: string | null,
  tools: LedgerTools,
): Begun[] {
  const isGap = watchedUntil === null;
  const begun: Begun[] = [];
  let last = known.at(-1);
  observation.activations.forEach((observed, position) => {
    const isLast = position === observation.activations.length - 1;
    const isTarget = isLast && observation.target !== null;
    const isKnown = known.some(({ revision }) => isSame(revision, observed.revision));
    // Where numbers are kept, one that is higher than the target's may have been the target before.
    if (isKnown && !isTarget) return;
    if (last !== undefined && !isLater(observed, last, isTarget, tools)) return;
    const activation: ArchivedActivation = {
      workloadUid: observation.life.uid,
      index: (last?.index ?? 0) + 1,
      revision: withMeaning(observed.revision, tools),
      ...beginningOf(
        bounded(isKnown ? again(observed) : observed, watchedUntil),
        last,
        observation.at,
        isGap || !isLast,
      ),
      to: null,
    };
    const isKnownNext = last !== undefined && isNext(last.revision, observed.revision, isGap);
    begun.push({
      activation,
      notBefore: activation.from === null ? observed.fromNotBefore : null,
      previous: isKnownNext && last !== undefined ? withMeaning(last.revision, tools) : null,
      isPresent: isLast,
    });
    last = activation;
  });
  return begun;
}

/** Of what no revision records the beginning is that of a release, which may still be the one before. */
function bounded(observed: ObservedActivation, watchedUntil: string | null): ObservedActivation {
  const { revision, fromNotAfter } = observed;
  if (revision.id !== null || fromNotAfter === null) return observed;
  return { ...observed, fromNotAfter: later(fromNotAfter, watchedUntil) };
}

function isSame(a: RevisionRef, b: RevisionRef): boolean {
  return a.id !== null && a.id === b.id && a.number === b.number;
}

/** A release that is taken back leaves the revision before it as it was: what it proves is of its first activation. */
function again({ revision }: ObservedActivation): ObservedActivation {
  return { revision, from: null, fromNotBefore: null, fromNotAfter: null };
}

function isLater(
  { revision }: ObservedActivation,
  last: ArchivedActivation,
  isTarget: boolean,
  tools: LedgerTools,
): boolean {
  const before = last.revision;
  if (revision.number !== null && before.number !== null && revision.number > before.number) return true;
  return isTarget && !isSameTemplate(revision, before, tools);
}

function beginningOf(
  { from, fromNotAfter }: ObservedActivation,
  last: ArchivedActivation | undefined,
  at: string,
  isUnseen: boolean,
): Pick<ArchivedActivation, 'from' | 'fromNotAfter'> {
  const seen = from ?? (isUnseen ? null : earlier(at, fromNotAfter));
  if (seen === null) return { from: null, fromNotAfter: earlier(at, fromNotAfter) };
  return { from: later(seen, last?.from ?? null), fromNotAfter: null };
}

/** With a number missing in between, something else was the target meanwhile: also between two looks of one watch. */
function isNext(before: RevisionRef, after: RevisionRef, isGap: boolean): boolean {
  if (before.number === null || after.number === null) return !isGap;
  return after.number <= before.number + 1;
}
