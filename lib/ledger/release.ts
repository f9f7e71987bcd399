import { isSince } from '@/lib/ledger/moments';
import { type Observation, type ObservedRelease } from '@/lib/ledger/observation';
import {
  type Outcome,
  type PlannedStep,
  type RecordedRelease,
  type RolloutRecord,
} from '@/lib/ledger/record';
import { type Pace } from '@/lib/ledger/spans';
import { type RolloutState } from '@/lib/rollout/rollout';
import { type WorkloadState } from '@/lib/workloads/status';

/** The system is at work, or waits for somebody, on a release that it has not brought to its end. */
const onTheWay: readonly RolloutState[] = ['progressing', 'waiting', 'paused', 'stalled', 'completing'];

/** Whether a release goes on that brings what the workload asks for. */
export function isUnderWay(release: ObservedRelease | null): release is ObservedRelease {
  if (release === null) return false;
  // A rollout object that has just been made starts as well, and brings nothing.
  if (release.state === 'starting') return release.revisions.updated !== null;
  return onTheWay.includes(release.state);
}

/** While the system has something left to do, the rollout is not over, even where every pod runs the target. */
export function keepsOpen(release: ObservedRelease | null): boolean {
  if (release?.state === 'rollingBack') return true;
  // Of one that nobody works on nothing is to be expected.
  return isUnderWay(release) && release.state !== 'stalled';
}

/**
 * The release that brings the target of this record; null while that has not come to its first step: until then what the
 * system says may still be of the release before.
 */
export function releaseOf(record: RolloutRecord, { release }: Observation): ObservedRelease | null {
  if (release === null || release.step.index === 0) return null;
  if (record.release !== null)
    return record.release.uid === release.uid && isOfRecord(record, release) ? release : null;
  if (release.hash !== record.to.hash) return null;
  if (release.state === 'completed') {
    const start = record.startedAt ?? record.startedNotAfter;
    return release.since !== null && start !== null && isSince(release.since, start) ? release : null;
  }
  return isUnderWay(release) && release.state !== 'starting' ? release : null;
}

/** Whoever disables it, or deletes it, need not leave what it released to be read. */
function isOfRecord({ to }: RolloutRecord, { hash, state }: ObservedRelease): boolean {
  if (isCut(state)) return true;
  return hash === to.hash && (onTheWay.includes(state) || state === 'completed');
}

/**
 * Whether the release was aborted: nothing brings the rest, unless it is retried. One that has failed in the
 * middle of a step may still get on by itself.
 */
export function isAborted({ to, release }: RolloutRecord, { release: seen }: Observation): boolean {
  if (release === null || seen === null || seen.uid !== release.uid || seen.hash !== to.hash) return false;
  const isLeft = seen.step.index === 0 || seen.steps.some(({ state }) => state === 'abandoned');
  return seen.state === 'failed' && isLeft;
}

/** The record of an aborted release that has begun again goes on; any other is as it was. */
export function reopened(record: RolloutRecord, { release: seen }: Observation): RolloutRecord {
  const { outcome, release } = record;
  if (outcome !== 'failed' || release?.result !== 'failed' || seen?.uid !== release.uid) return record;
  if (!isUnderWay(seen) || !isOfRecord(record, seen)) return record;
  return { ...record, outcome: null, endedAt: null, release: { ...release, result: null } };
}

/** What a record says of a release, as it is first seen. */
export function openRelease(seen: ObservedRelease): RecordedRelease {
  const { system, resource, name, uid, release, style, routes } = seen;
  return {
    ...{ system, resource, name, uid, style, routes },
    id: release.id,
    plan: planOf(seen),
    planEditedAt: null,
    jumps: [],
    result: null,
    unassigned: [],
  };
}

/** What is to be noted of a release beside its steps. `at` is null where it came about in a gap. */
export function noteRelease(
  known: RecordedRelease,
  seen: ObservedRelease,
  at: string,
  isSteppedOut: boolean,
): RecordedRelease {
  const isEdited = known.planEditedAt === null && JSON.stringify(known.plan) !== JSON.stringify(planOf(seen));
  return {
    ...known,
    id: seen.release.id ?? known.id,
    planEditedAt: isEdited ? at : known.planEditedAt,
    result: known.result ?? (isSteppedOut ? null : cutOf(seen.state)),
  };
}

/** As it is kept once the rollout is over. */
export function endRelease(release: RecordedRelease, outcome: Outcome): RecordedRelease {
  const { unlistedUnassigned: _, ...kept } = release;
  return { ...kept, result: release.result ?? outcome };
}

/**
 * When the system was done with a rollout that began at `start`: by bringing it, or by taking back what was before. Null
 * where it says nothing of it.
 */
export function endOfRelease(release: ObservedRelease | null, start: string | null): string | null {
  if (release?.since == null || (release.state !== 'completed' && release.state !== 'rolledBack'))
    return null;
  return start === null || isSince(release.since, start) ? release.since : null;
}

/**
 * Whether deleting the release has taken back what it brought: where the new pods have a workload of their own, that one
 * keeps its template and is asked for no pod.
 */
export function isTakenBack({ release, steps }: RolloutRecord, { desiredPods }: Observation): boolean {
  return release?.result === 'deleted' && desiredPods === 0 && steps.some(({ pods }) => pods.length > 0);
}

/**
 * How the workload gets on, as its release has it: while that holds it, the workload's own word says little. Until the system
 * turns to what this record brings, it speaks of the release before.
 */
export function paceOf({ to }: Pick<RolloutRecord, 'to'>, observation: Observation): Pace {
  const { release, at, state } = observation;
  if (!isUnderWay(release) || state === 'stuck' || state === 'deadlineExceeded') return observation;
  const isBefore = release.hash !== null && release.hash !== to.hash;
  const pace = isBefore ? 'rolling' : workloadState(release.state);
  return {
    ...{ at, state: pace, message: release.message, stateSince: release.since },
    ...(release.state === 'waiting' && { awaitsApproval: true as const }),
  };
}

function workloadState(state: RolloutState): WorkloadState {
  if (state === 'waiting') return 'held';
  if (state === 'paused') return 'paused';
  return state === 'stalled' ? 'stuck' : 'rolling';
}

function planOf({ steps }: ObservedRelease): PlannedStep[] {
  return steps.map(({ index, replicas, traffic, pause }) => ({
    index,
    replicas: replicas.asked,
    traffic: traffic.planned,
    pause,
  }));
}

function isCut(state: RolloutState): boolean {
  return cutOf(state) !== null;
}

/** Without whoever steps it, the workload gets the rest at once. */
function cutOf(state: RolloutState): 'disabled' | 'deleted' | null {
  if (state === 'disabling' || state === 'disabled') return 'disabled';
  return state === 'terminating' ? 'deleted' : null;
}
