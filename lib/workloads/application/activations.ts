import { type Activations } from '@/lib/history/activations';
import { compareCreation, compareTimes, numberOfSource } from '@/lib/history/revision-order';
import { type Activation } from '@/lib/api/revisions';
import { publishVersionOf } from '@/lib/workloads/application/revision-names';
import { textAt } from '@/lib/kube/read';
import { type RevisionSource, type Workload } from '@/lib/history/workload';

/**
 * A revision becomes the target when it is created. When it becomes the target again, it keeps its number and
 * its object; only the workflow that ran for it shows when. `oldestFirst` by number.
 */
export function activationsOfApplication(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): Activations {
  // A revision that was just created is the target once the status names it, or once its workflow runs.
  const inTime = oldestFirst
    .filter((source) => source.uid === target?.uid || source.run?.state !== 'notStarted')
    .filter((source) => !isAhead(source, workload, target))
    .toSorted(compareCreation);
  const isReused = target !== null && inTime.at(-1)?.uid !== target.uid;
  const reactivation = isReused ? reactivationOf(workload, inTime) : null;
  const activations = new Map<string, Activation[]>();
  inTime.forEach((source, index) => {
    const number = numberOfSource(source);
    if (number === null) return;
    const next = inTime[index + 1];
    const isOpen = source.uid === target?.uid && !isReused;
    const isNumberFollowed = next !== undefined && numberOfSource(next) === number + 1;
    activations.set(source.uid, [
      {
        number,
        from: source.createdAt,
        fromNotBefore: null,
        fromNotAfter: null,
        to: isOpen
          ? null
          : isNumberFollowed
            ? next.createdAt
            : next === undefined
              ? (reactivation?.from ?? null)
              : null,
        open: isOpen,
      },
    ]);
  });
  const number = target === null ? null : numberOfSource(target);
  if (target !== null && number !== null && reactivation !== null) {
    const first = activations.get(target.uid) ?? [];
    activations.set(target.uid, [...first, { number, ...reactivation, to: null, open: true }]);
  }
  return activations;
}

/**
 * Watches of revisions and Applications are separate: a revision created during or after the workflow of the
 * target arrives before the status of its Application names it. After a rollback the workflow would start
 * again.
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

/** The current workflow began with the rollback, unless it ran before the newest revision was created. */
function reactivationOf(
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
