import { isAtOrAfter } from '@/lib/records/times';
import { type Observation, type ObservedProgressiveRollout } from '@/lib/records/observation';
import { type Outcome } from '@/lib/api/record-values';
import { type PlannedStep, type RecordedProgressiveRollout, type RolloutRecord } from '@/lib/api/record';
import { type Pace } from '@/lib/records/spans';
import { type WorkloadState } from '@/lib/api/workload-values';
import { type RolloutState } from '@/lib/api/rollout-values';

/** The system is working on a progressive rollout that has not ended, or waits for approval. */
const inProgressStates: readonly RolloutState[] = [
  'progressing',
  'waiting',
  'paused',
  'stalled',
  'completing',
];

/** Whether a progressive rollout of the desired template is in progress. */
export function isRolloutInProgress(
  release: ObservedProgressiveRollout | null,
): release is ObservedProgressiveRollout {
  if (release === null) return false;
  // A newly created rollout object starts too, and rolls out nothing.
  if (release.state === 'starting') return release.revisions.updated !== null;
  return inProgressStates.includes(release.state);
}

/** While the system has work left, the rollout is not over, even where every pod runs the target. */
export function keepsRecordOpen(release: ObservedProgressiveRollout | null): boolean {
  if (release?.state === 'rollingBack') return true;
  // Without a controller, no progress is to be expected.
  return isRolloutInProgress(release) && release.state !== 'stalled';
}

/**
 * The progressive rollout to the target of this record; null before its first step: until then the system may
 * still describe the one before.
 */
export function findReleaseOfRecord(
  record: RolloutRecord,
  { release }: Observation,
): ObservedProgressiveRollout | null {
  if (release === null || release.step.index === 0) return null;
  if (record.release !== null)
    return record.release.uid === release.uid && belongsToRecord(record, release) ? release : null;
  if (release.hash !== record.to.hash) return null;
  if (release.state === 'completed') {
    const start = record.startedAt ?? record.startedNotAfter;
    return release.since !== null && start !== null && isAtOrAfter(release.since, start) ? release : null;
  }
  return isRolloutInProgress(release) && release.state !== 'starting' ? release : null;
}

/** After it is disabled or deleted, what it rolled out need not be readable. */
function belongsToRecord({ to }: RolloutRecord, { hash, state }: ObservedProgressiveRollout): boolean {
  if (isCutShort(state)) return true;
  return hash === to.hash && (inProgressStates.includes(state) || state === 'completed');
}

/**
 * Whether the progressive rollout was aborted: it does not finish unless it is retried. One that has failed
 * in the middle of a step may still recover.
 */
export function isAborted({ to, release }: RolloutRecord, { release: observed }: Observation): boolean {
  if (release === null || observed === null || observed.uid !== release.uid || observed.hash !== to.hash)
    return false;
  const isAbandoned = observed.step.index === 0 || observed.steps.some(({ state }) => state === 'abandoned');
  return observed.state === 'failed' && isAbandoned;
}

/**
 * The record of an aborted progressive rollout that restarts continues, and so does that of a workload without pods
 * which was complete before its system noticed the change; any other stays unchanged.
 */
export function reopenIfResumed(record: RolloutRecord, { release: observed }: Observation): RolloutRecord {
  const { outcome, release } = record;
  if (wasNoticedLate(record, observed)) return { ...record, outcome: null, endedAt: null };
  if (outcome !== 'failed' || release?.result !== 'failed' || observed?.uid !== release.uid) return record;
  if (!isRolloutInProgress(observed) || !belongsToRecord(record, observed)) return record;
  return { ...record, outcome: null, endedAt: null, release: { ...release, result: null } };
}

/**
 * Between releases Flagger scales the workload to zero, where a new template is complete at once, and looks for one
 * every minute or so. https://docs.flagger.app/usage/how-it-works
 */
function wasNoticedLate(
  { outcome, release, desiredPods, to }: RolloutRecord,
  observed: ObservedProgressiveRollout | null,
): boolean {
  if (outcome !== 'completed' || release !== null || desiredPods !== 0) return false;
  return isRolloutInProgress(observed) && observed.state !== 'starting' && observed.hash === to.hash;
}

/** What a record states of a progressive rollout when it is first observed. */
export function createRelease(observed: ObservedProgressiveRollout): RecordedProgressiveRollout {
  const { system, resource, name, uid, release, style, routes } = observed;
  return {
    ...{ system, resource, name, uid, style, routes },
    id: release.id,
    plan: planOf(observed),
    planEditedAt: null,
    jumps: [],
    result: null,
    unassigned: [],
  };
}

/** What to record of a progressive rollout besides its steps. `at` is null where it happened in a gap. */
export function updateRelease(
  known: RecordedProgressiveRollout,
  observed: ObservedProgressiveRollout,
  at: string,
  isSteppedOut: boolean,
): RecordedProgressiveRollout {
  const isEdited =
    known.planEditedAt === null && JSON.stringify(known.plan) !== JSON.stringify(planOf(observed));
  return {
    ...known,
    id: observed.release.id ?? known.id,
    planEditedAt: isEdited ? at : known.planEditedAt,
    result: known.result ?? (isSteppedOut ? null : cutShortResult(observed.state)),
  };
}

/** As it is saved once the rollout is over. */
export function endRelease(
  release: RecordedProgressiveRollout,
  outcome: Outcome,
): RecordedProgressiveRollout {
  const { unlistedUnassigned: _, ...rest } = release;
  return { ...rest, result: release.result ?? outcome };
}

/**
 * When the system finished a rollout that began at `start`, by completing it or by reverting to the template
 * before. Null where it reports no such time.
 */
export function releaseEndedAt(
  release: ObservedProgressiveRollout | null,
  start: string | null,
): string | null {
  if (release?.since == null || (release.state !== 'completed' && release.state !== 'rolledBack'))
    return null;
  return start === null || isAtOrAfter(release.since, start) ? release.since : null;
}

/**
 * Whether deleting the progressive rollout has reverted it: where the new pods have a workload of their own,
 * that one keeps its template and is scaled to zero.
 */
export function isRolledBackByDeletion(
  { release, steps }: RolloutRecord,
  { desiredPods }: Observation,
): boolean {
  return release?.result === 'deleted' && desiredPods === 0 && steps.some(({ pods }) => pods.length > 0);
}

/**
 * The workload's progress according to its progressive rollout: while that controls it, the workload's own
 * status means little. Until the system turns to the target of this record, it describes the rollout before.
 */
export function progressOf({ to }: Pick<RolloutRecord, 'to'>, observation: Observation): Pace {
  const { release, at, state } = observation;
  if (!isRolloutInProgress(release) || state === 'stuck' || state === 'deadlineExceeded') return observation;
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

function planOf({ steps }: ObservedProgressiveRollout): PlannedStep[] {
  return steps.map(({ index, replicas, traffic, pause }) => ({
    index,
    replicas: replicas.asked,
    traffic: traffic.planned,
    pause,
  }));
}

function isCutShort(state: RolloutState): boolean {
  return cutShortResult(state) !== null;
}

/** Without its controller, the workload gets the rest at once. */
function cutShortResult(state: RolloutState): 'disabled' | 'deleted' | null {
  if (state === 'disabling' || state === 'disabled') return 'disabled';
  return state === 'terminating' ? 'deleted' : null;
}
