import { compareTimes, numberOfSource } from '@/lib/history/order';
import { findReactivated } from '@/lib/history/reactivation';
import { type Activation } from '@/lib/history/revision';
import { type RevisionSource } from '@/lib/workloads/workload';

/** Activations by uid of the source, each list oldest first. */
export type Activations = ReadonlyMap<string, readonly Activation[]>;

interface Entry {
  source: RevisionSource;
  number: number;
  from: string | null;
  notBefore: string | null;
  notAfter: string | null;
}

/** The controller drops the oldest former numbers when the annotation grows beyond 2000 characters. */
const FORMER_NUMBERS_LENGTH_FULL = 1_980;

/** A renumbering is a write of its own: a time this much after the creation is no rounding. */
const RENUMBERED_AFTER_MS = 2_000;

/**
 * The timeline that the numbers of ReplicaSets prove. The first number of a ReplicaSet was given at its creation;
 * when it got a later one is known only within bounds, since its managed fields move with every scale.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (SetNewReplicaSetAnnotations)
 */
export function activationsOfReplicaSets(
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): Activations {
  const reactivated = findReactivated(oldestFirst);
  return inTime(
    oldestFirst.flatMap((source) => entriesOfReplicaSet(source, reactivated)),
    target,
  );
}

function entriesOfReplicaSet(source: RevisionSource, reactivated: ReadonlySet<string>): Entry[] {
  if (source.number.kind !== 'number') return [];
  const present = source.number.value;
  const numbers = [...new Set([...source.formerNumbers, present])].sort((a, b) => a - b);
  const knowsFirst =
    source.formerNumbers.length > 0
      ? source.formerNumbers.join(',').length < FORMER_NUMBERS_LENGTH_FULL
      : !reactivated.has(source.uid);
  return numbers.map((number, index) => ({
    source,
    number,
    from: index === 0 && knowsFirst ? source.createdAt : null,
    notBefore: source.createdAt,
    notAfter: number === present ? timeOfNumber(source) : null,
  }));
}

/**
 * The timeline that ControllerRevisions prove: they remember no former number, but who wrote the present one, and when,
 * stands in their managed fields. A revision never numbered again was activated when it was created.
 */
export function activationsOfControllerRevisions(
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): Activations {
  const reactivated = findReactivated(oldestFirst);
  return inTime(
    oldestFirst.flatMap((source) => entryOfControllerRevision(source, reactivated.has(source.uid))),
    target,
  );
}

function entryOfControllerRevision(source: RevisionSource, isReactivated: boolean): Entry[] {
  if (source.number.kind !== 'number' || source.fault !== undefined) return [];
  const written = timeOfNumber(source);
  const isRewritten =
    written !== null && Date.parse(written) - Date.parse(source.createdAt) > RENUMBERED_AFTER_MS;
  const known = isReactivated ? (isRewritten ? written : null) : isRewritten ? null : source.createdAt;
  return [
    {
      source,
      number: source.number.value,
      from: known,
      notBefore: source.createdAt,
      notAfter: isRewritten ? written : null,
    },
  ];
}

function timeOfNumber(source: RevisionSource): string | null {
  return source.writes.find((write) => write.revision && write.time !== null)?.time ?? null;
}

/** A higher number was given later: that bounds what is unknown, and ends what came before. */
function inTime(entries: readonly Entry[], target: RevisionSource | null): Activations {
  const ordered = entries.toSorted((a, b) => a.number - b.number).map((entry) => ({ ...entry }));
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
    // Between a write and another in the same second there is nothing left to be unknown.
    if (entry.notBefore !== null && entry.notBefore === entry.notAfter) entry.from = entry.notBefore;
  }
  const presentNumber = target === null ? null : numberOfSource(target);
  const activations = new Map<string, Activation[]>();
  ordered.forEach((entry, index) => {
    const list = activations.get(entry.source.uid) ?? [];
    const isOpen = entry.source.uid === target?.uid && entry.number === presentNumber;
    list.push({
      number: entry.number,
      from: entry.from,
      fromNotBefore: entry.from === null ? entry.notBefore : null,
      fromNotAfter: entry.from === null ? entry.notAfter : null,
      to: isOpen ? null : startOfNext(ordered, index),
      open: isOpen,
    });
    activations.set(entry.source.uid, list);
  });
  return activations;
}

/** Known only when the very next number is there once; with a gap, something else was the target in between. */
function startOfNext(ordered: readonly Entry[], index: number): string | null {
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

function earlierOf(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return compareTimes(a, b) <= 0 ? a : b;
}
