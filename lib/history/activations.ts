import { type Adoption, numbersHere, wasJoined } from '@/lib/history/adoption';
import { compareTimes, numberOfSource, earlierOf } from '@/lib/history/revision-order';
import { findReactivated } from '@/lib/history/reactivation';
import type { Activation } from '@/lib/api/revisions';
import type { RevisionSource } from '@/lib/history/workload';

/** Activations by uid of the source, each list oldest first. */
export type Activations = ReadonlyMap<string, readonly Activation[]>;

interface NumberedActivation {
  source: RevisionSource;
  number: number;
  from: string | null;
  /** Null: of an earlier incarnation, and so before all others. */
  notBefore: string | null;
  notAfter: string | null;
}

/** The controller removes the oldest former numbers when the annotation grows beyond 2000 characters. */
const FORMER_NUMBERS_LENGTH_FULL = 1_980;

/** A renumbering is a separate write: a time this much after the creation is no rounding. */
const RENUMBERED_AFTER_MS = 2_000;

/**
 * The activations that the numbers of ReplicaSets prove. A ReplicaSet got its first number at its creation;
 * the time of a later one is known only within bounds, since every scaling updates its managed fields.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go
 * (SetNewReplicaSetAnnotations)
 */
export function activationsOfReplicaSets(
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
  adoption: Adoption,
): Activations {
  return boundActivations(oldestFirst, target, adoption, entriesOfReplicaSet);
}

/** Those of an earlier incarnation, whose times this one's objects do not prove. */
function entriesBefore(source: RevisionSource, { before, at }: Adoption): NumberedActivation[] {
  if (source.fault !== undefined) return [];
  const bounds = { from: null, notBefore: null, notAfter: at };
  return (before.get(source.uid) ?? []).map((number) => ({ source, number, ...bounds }));
}

function entriesOfReplicaSet(
  source: RevisionSource,
  isReactivated: boolean,
  adoption: Adoption,
): NumberedActivation[] {
  if (source.number.kind !== 'number') return [];
  const currentNumber = source.number.value;
  const isAdopted = adoption.before.has(source.uid);
  const knowsFirst =
    source.formerNumbers.length > 0
      ? source.formerNumbers.join(',').length < FORMER_NUMBERS_LENGTH_FULL
      : !isReactivated;
  return numbersHere(source, adoption).map((number, index) => ({
    source,
    number,
    from: index === 0 && knowsFirst && !isAdopted ? source.createdAt : null,
    notBefore: isAdopted ? adoption.at : source.createdAt,
    notAfter: number === currentNumber ? timeOfNumber(source) : null,
  }));
}

/**
 * The activations that ControllerRevisions prove: they store no former number, but their managedFields show
 * who wrote the current one, and when. A revision that was never renumbered was activated when it was
 * created.
 */
export function activationsOfControllerRevisions(
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
  adoption: Adoption,
): Activations {
  return boundActivations(oldestFirst, target, adoption, entriesOfControllerRevision);
}

function entriesOfControllerRevision(
  source: RevisionSource,
  isReactivated: boolean,
  adoption: Adoption,
): NumberedActivation[] {
  if (source.fault !== undefined) return [];
  const writtenAt = timeOfNumber(source);
  // An adoption writes to the same object, and one that joins makes the controller count on.
  const isRewritten =
    writtenAt !== null &&
    (isReactivated || !wasJoined(source, adoption)) &&
    Date.parse(writtenAt) - Date.parse(source.createdAt) > RENUMBERED_AFTER_MS;
  const provenFrom = isReactivated ? (isRewritten ? writtenAt : null) : isRewritten ? null : source.createdAt;
  return numbersHere(source, adoption).map((number) => ({
    source,
    number,
    from: provenFrom,
    notBefore: adoption.before.has(source.uid) ? adoption.at : source.createdAt,
    notAfter: isRewritten ? writtenAt : null,
  }));
}

function timeOfNumber(source: RevisionSource): string | null {
  return source.writes.find((write) => write.revision && write.time !== null)?.time ?? null;
}

/** A higher number was assigned later: that bounds unknown times, and ends the activation before. */
function boundActivations(
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
  adoption: Adoption,
  entriesOf: (source: RevisionSource, isReactivated: boolean, adoption: Adoption) => NumberedActivation[],
): Activations {
  const reactivated = findReactivated(oldestFirst, adoption);
  const ordered = oldestFirst
    .flatMap((source) => [
      ...entriesBefore(source, adoption),
      ...entriesOf(source, reactivated.has(source.uid), adoption),
    ])
    .toSorted((a, b) => Number(a.notBefore !== null) - Number(b.notBefore !== null) || a.number - b.number)
    .map((entry) => ({ ...entry }));
  let floor: string | null = null;
  for (const entry of ordered) {
    if (entry.from !== null && isBefore(entry.from, floor)) entry.from = null;
    entry.notBefore = laterOf(floor, entry.from ?? entry.notBefore);
    floor = entry.notBefore;
  }
  let ceiling: string | null = null;
  for (const entry of ordered.toReversed()) {
    entry.notAfter = earlierOf(ceiling, entry.from ?? entry.notAfter);
    ceiling = entry.notAfter;
  }
  for (const entry of ordered) {
    // Two writes in the same second leave no interval that is unknown.
    if (entry.notBefore !== null && entry.notBefore === entry.notAfter) entry.from = entry.notBefore;
  }
  const targetNumber = target === null ? null : numberOfSource(target);
  const activations = new Map<string, Activation[]>();
  ordered.forEach((entry, index) => {
    const list = activations.get(entry.source.uid) ?? [];
    const isTarget = entry.source.uid === target?.uid && entry.number === targetNumber;
    list.push({
      number: entry.number,
      from: entry.from,
      fromNotBefore: entry.from === null ? entry.notBefore : null,
      fromNotAfter: entry.from === null ? entry.notAfter : null,
      to: isTarget ? null : startOfNext(ordered, index),
      open: isTarget,
    });
    activations.set(entry.source.uid, list);
  });
  return activations;
}

/**
 * Known only when exactly one source has the very next number; with a gap, something else was the target in
 * between.
 */
function startOfNext(ordered: readonly NumberedActivation[], index: number): string | null {
  const number = ordered[index]?.number ?? NaN;
  const isShared = ordered[index - 1]?.number === number || ordered[index + 1]?.number === number;
  const next = ordered[index + 1];
  if (isShared || next?.number !== number + 1 || ordered[index + 2]?.number === number + 1) return null;
  return next.from;
}

function isBefore(time: string, floor: string | null): boolean {
  return floor !== null && compareTimes(time, floor) < 0;
}

function laterOf(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return compareTimes(a, b) >= 0 ? a : b;
}
