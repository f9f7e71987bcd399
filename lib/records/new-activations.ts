import { isSameTemplate, withMeaning } from '@/lib/records/template-meaning';
import { earlierOf, laterOf } from '@/lib/records/times';
import type {
  ObservedActivation,
  Observation,
  RecorderMemory,
  RecordingTools,
} from '@/lib/records/observation';
import { withPendingStart } from '@/lib/records/pending-template';
import type { ArchivedActivation, RevisionRef } from '@/lib/api/incarnation';

/** A newly found activation, with what the cluster proves of its start. */
export interface NewActivation {
  activation: ArchivedActivation;
  /** Bound of an unknown start. */
  notBefore: string | null;
  /** The previous target, where it is certain. */
  previous: RevisionRef | null;
  /** Still the target; neither progress nor end of the others was observed. */
  isCurrent: boolean;
}

/**
 * The activations that have begun since the last known one, in order. A higher number is a later activation,
 * whatever carries it; under equal or lower numbers (revisions deleted by hand) the current target counts
 * when its template differs. No other activation had begun by `watchedUntil`; null after a gap, where the
 * time of the observation proves nothing.
 */
export function findNewActivations(
  known: readonly ArchivedActivation[],
  observation: Observation,
  { watchedUntil, pending }: Pick<RecorderMemory, 'watchedUntil' | 'pending'>,
  tools: RecordingTools,
): NewActivation[] {
  const isGap = watchedUntil === null;
  const found: NewActivation[] = [];
  let last = known.at(-1);
  observation.activations.forEach((observed, position) => {
    const isLast = position === observation.activations.length - 1;
    const isTarget = isLast && observation.target !== null;
    const isKnown = known.some(({ revision }) => isSameRevision(revision, observed.revision));
    // Where numbers are stable, a higher one than the target's may have been the target before.
    if (isKnown && !isTarget) return;
    if (last !== undefined && !isLaterActivation(observed, last, isTarget, tools)) return;
    const bounded = withLaterBound(isKnown ? withoutTimes(observed) : observed, watchedUntil);
    const activation: ArchivedActivation = {
      workloadUid: observation.incarnation.uid,
      index: (last?.index ?? 0) + 1,
      revision: withMeaning(observed.revision, tools),
      ...startOf(
        pending === null || found.length > 0 ? bounded : withPendingStart(bounded, pending, observation.at),
        last,
        observation.at,
        isGap || !isLast,
      ),
      to: null,
    };
    const isKnownNext =
      last !== undefined && isDirectSuccessor(last.revision, observed.revision, observation, isGap);
    found.push({
      activation,
      notBefore: activation.from === null ? observed.fromNotBefore : null,
      previous: isKnownNext && last !== undefined ? withMeaning(last.revision, tools) : null,
      isCurrent: isLast,
    });
    last = activation;
  });
  return found;
}

/**
 * An activation whose start no revision records belongs to a progressive rollout, which may still be the
 * previous one.
 */
function withLaterBound(observed: ObservedActivation, watchedUntil: string | null): ObservedActivation {
  const { revision, fromNotAfter } = observed;
  if (revision.id !== null || fromNotAfter === null) return observed;
  return { ...observed, fromNotAfter: laterOf(fromNotAfter, watchedUntil) };
}

function isSameRevision(a: RevisionRef, b: RevisionRef): boolean {
  return a.id !== null && a.id === b.id && a.number === b.number;
}

/**
 * A reverted progressive rollout leaves the revision before it unchanged: its evidence belongs to its first
 * activation.
 */
function withoutTimes({ revision }: ObservedActivation): ObservedActivation {
  return { revision, from: null, fromNotBefore: null, fromNotAfter: null };
}

function isLaterActivation(
  { revision }: ObservedActivation,
  last: ArchivedActivation,
  isTarget: boolean,
  tools: RecordingTools,
): boolean {
  const before = last.revision;
  if (revision.number !== null && before.number !== null && revision.number > before.number) return true;
  return isTarget && !isSameTemplate(revision, before, tools);
}

function startOf(
  { from, fromNotAfter }: ObservedActivation,
  last: ArchivedActivation | undefined,
  at: string,
  isUnobserved: boolean,
): Pick<ArchivedActivation, 'from' | 'fromNotAfter'> {
  const start = from ?? (isUnobserved ? null : earlierOf(at, fromNotAfter));
  if (start === null) return { from: null, fromNotAfter: earlierOf(at, fromNotAfter) };
  return { from: laterOf(start, last?.from ?? null), fromNotAfter: null };
}

/**
 * With a number missing in between, something else was the target meanwhile: also between two observations of one
 * watch. Those that adopted revisions had before were skipped.
 */
function isDirectSuccessor(
  { number: before }: RevisionRef,
  { number: after }: RevisionRef,
  { adopted }: Observation,
  isGap: boolean,
): boolean {
  if (before === null || after === null) return !isGap;
  const numbers = adopted.flatMap(({ number }) => number ?? []);
  const skipped = new Set(numbers.filter((number) => number > before && number < after));
  return after <= before + 1 + skipped.size;
}
