import { type Activations } from '@/lib/history/activations';
import { compareCreation, compareTimes, numberOfSource } from '@/lib/history/order';
import { type Activation } from '@/lib/history/revision';
import { publishVersionOf } from '@/lib/workloads/application/marks';
import { textAt } from '@/lib/workloads/read';
import { type RevisionSource, type Workload } from '@/lib/workloads/workload';

/**
 * Each revision was asked for when it was made. One that is asked for again keeps its number and its object; when that
 * began only the workflow that ran for it can tell. `oldestFirst` by number.
 */
export function activationsOfApplication(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): Activations {
  // One that has just been made is asked for once the status names it, or once its workflow runs.
  const inTime = oldestFirst
    .filter((source) => source.uid === target?.uid || source.run?.state !== 'notStarted')
    .filter((source) => !isAhead(source, workload, target))
    .toSorted(compareCreation);
  const isAgain = target !== null && inTime.at(-1)?.uid !== target.uid;
  const returned = isAgain ? returnOf(workload, inTime) : null;
  const activations = new Map<string, Activation[]>();
  inTime.forEach((source, index) => {
    const number = numberOfSource(source);
    if (number === null) return;
    const next = inTime[index + 1];
    const isOpen = source.uid === target?.uid && !isAgain;
    const isFollowed = next !== undefined && numberOfSource(next) === number + 1;
    activations.set(source.uid, [
      {
        number,
        from: source.createdAt,
        fromNotBefore: null,
        fromNotAfter: null,
        to: isOpen
          ? null
          : isFollowed
            ? next.createdAt
            : next === undefined
              ? (returned?.from ?? null)
              : null,
        open: isOpen,
      },
    ]);
  });
  const number = target === null ? null : numberOfSource(target);
  if (target !== null && number !== null && returned !== null) {
    const first = activations.get(target.uid) ?? [];
    activations.set(target.uid, [...first, { number, ...returned, to: null, open: true }]);
  }
  return activations;
}

/**
 * Revisions and Applications are watched apart: a revision that was made while the workflow of the target ran, or after it,
 * is seen before its Application has told that it is asked for. With a return the workflow would begin anew.
 */
function isAhead(
  { uid, createdAt }: RevisionSource,
  { status }: Workload,
  target: RevisionSource | null,
): boolean {
  if (target === null || uid === target.uid) return false;
  const ranFor = textAt(status, 'workflow', 'appRevision');
  const started = textAt(status, 'workflow', 'startTime');
  const isOfTarget = ranFor === target.name || (ranFor !== undefined && ranFor === publishVersionOf(target));
  return isOfTarget && started !== undefined && compareTimes(createdAt, started) > 0;
}

/** The present workflow began with the return, unless it ran before the newest revision was made. */
function returnOf(
  { status }: Workload,
  inTime: readonly RevisionSource[],
): Pick<Activation, 'from' | 'fromNotBefore' | 'fromNotAfter'> {
  const newest = inTime.at(-1)?.createdAt ?? null;
  const started = textAt(status, 'workflow', 'startTime') ?? null;
  const isAfter = started !== null && newest !== null && compareTimes(started, newest) >= 0;
  return isAfter
    ? { from: started, fromNotBefore: null, fromNotAfter: null }
    : { from: null, fromNotBefore: newest, fromNotAfter: null };
}
