import { isAtOrAfter } from '@/lib/records/times';
import type { Observation, ObservedProgressiveRollout } from '@/lib/records/observation';
import type { Outcome } from '@/lib/api/record-values';
import type { PlannedStep, RecordedProgressiveRollout, RolloutRecord } from '@/lib/api/record';
import type { Pace } from '@/lib/records/spans';
import { isUnderWay } from '@/lib/engine/progress';
import { findPace } from '@/lib/engine/under-rollout';

/** Whether a progressive rollout of the desired template is in progress. */
export function isRolloutInProgress(
  rollout: ObservedProgressiveRollout | null,
): rollout is ObservedProgressiveRollout {
  if (rollout === null) return false;
  // A newly created rollout object starts too, and rolls out nothing.
  if (rollout.state === 'starting') return rollout.revisions.updated !== null;
  return isUnderWay(rollout.state);
}

/** While the system has work left, the rollout is not over, even where every pod runs the target. */
export function keepsRecordOpen(rollout: ObservedProgressiveRollout | null): boolean {
  if (rollout?.state === 'rollingBack') return true;
  // Without a controller, no progress is to be expected.
  return isRolloutInProgress(rollout) && rollout.state !== 'stalled';
}

/**
 * The progressive rollout to the target of this record; null before its first step: until then the system may
 * still describe the one before.
 */
export function findProgressiveRollout(
  record: RolloutRecord,
  { progressiveRollout: observed }: Observation,
): ObservedProgressiveRollout | null {
  if (observed === null || observed.step.index === 0) return null;
  const known = record.progressiveRollout;
  if (known !== null)
    return known.uid === observed.uid && belongsToRecord(record, observed) ? observed : null;
  if (observed.hash !== record.to.hash) return null;
  if (observed.state === 'completed') {
    const start = record.startedAt ?? record.startedNotAfter;
    return observed.since !== null && start !== null && isAtOrAfter(observed.since, start) ? observed : null;
  }
  return isRolloutInProgress(observed) && observed.state !== 'starting' ? observed : null;
}

/** After it is disabled or deleted, what it rolled out need not be readable. */
function belongsToRecord({ to }: RolloutRecord, { hash, state }: ObservedProgressiveRollout): boolean {
  if (isCutShort(state)) return true;
  return hash === to.hash && (isUnderWay(state) || state === 'completed');
}

/**
 * Whether the progressive rollout was aborted: it does not finish unless it is retried. One that has failed
 * in the middle of a step may still recover.
 */
export function isAborted(
  { to, progressiveRollout: known }: RolloutRecord,
  { progressiveRollout: observed }: Observation,
): boolean {
  if (known === null || observed === null || observed.uid !== known.uid || observed.hash !== to.hash)
    return false;
  const isAbandoned = observed.step.index === 0 || observed.steps.some(({ state }) => state === 'abandoned');
  return observed.state === 'failed' && isAbandoned;
}

/** The record of an aborted progressive rollout that restarts continues; any other stays unchanged. */
export function reopenIfResumed(
  record: RolloutRecord,
  { progressiveRollout: observed, at }: Observation,
): RolloutRecord {
  const { outcome, progressiveRollout: known, spans } = record;
  if (outcome !== 'failed' || known?.result !== 'failed' || observed?.uid !== known.uid) return record;
  if (!isRolloutInProgress(observed) || !belongsToRecord(record, observed)) return record;
  const last = spans.at(-1);
  return {
    ...record,
    outcome: null,
    endedAt: null,
    // It had failed until now.
    spans: last?.hasFailed === true ? [...spans.slice(0, -1), { ...last, to: at }] : spans,
    progressiveRollout: { ...known, result: null },
  };
}

/** What a record states of a progressive rollout when it is first observed. */
export function startProgressiveRollout(observed: ObservedProgressiveRollout): RecordedProgressiveRollout {
  const { system, resource, name, uid, run, style, routes } = observed;
  return {
    ...{ system, resource, name, uid, style, routes },
    id: run.id,
    plan: planOf(observed),
    planEditedAt: null,
    jumps: [],
    result: null,
    unassigned: [],
  };
}

/** What to record of a progressive rollout besides its steps. `at` is null where it happened in a gap. */
export function updateProgressiveRollout(
  known: RecordedProgressiveRollout,
  observed: ObservedProgressiveRollout,
  at: string,
  isSteppedOut: boolean,
): RecordedProgressiveRollout {
  const isEdited =
    known.planEditedAt === null && JSON.stringify(known.plan) !== JSON.stringify(planOf(observed));
  return {
    ...known,
    id: observed.run.id ?? known.id,
    planEditedAt: isEdited ? at : known.planEditedAt,
    result: known.result ?? (isSteppedOut ? null : cutShortResult(observed.state)),
  };
}

/** As it is saved once the rollout is over. */
export function endProgressiveRollout(
  rollout: RecordedProgressiveRollout,
  outcome: Outcome,
): RecordedProgressiveRollout {
  const { unlistedUnassigned: _, ...rest } = rollout;
  return { ...rest, result: rollout.result ?? outcome };
}

/**
 * When the system finished a rollout that began at `start`, by completing it or by reverting to the template
 * before. Null where it reports no such time.
 */
export function progressiveEndedAt(
  rollout: ObservedProgressiveRollout | null,
  start: string | null,
): string | null {
  if (rollout?.since == null || (rollout.state !== 'completed' && rollout.state !== 'rolledBack'))
    return null;
  return start === null || isAtOrAfter(rollout.since, start) ? rollout.since : null;
}

/**
 * Whether deleting the progressive rollout has reverted it: where the new pods have a workload of their own,
 * that one keeps its template and is scaled to zero.
 */
export function isRolledBackByDeletion(
  { progressiveRollout: known, steps }: RolloutRecord,
  { desiredPods }: Observation,
): boolean {
  return known?.result === 'deleted' && desiredPods === 0 && steps.some(({ pods }) => pods.length > 0);
}

/**
 * The workload's progress according to its progressive rollout: while that controls it, the workload's own
 * status means little. Until the system turns to the target of this record, it describes the rollout before.
 */
export function progressOf(record: RolloutRecord, observation: Observation): Pace {
  const { progressiveRollout: rollout, at, state } = observation;
  if (rollout !== null && isAborted(record, observation)) {
    const since = rollout.since ?? at;
    const state = findPace(rollout.state, true);
    return { at: since, state, message: rollout.message, stateSince: since };
  }
  if (!isRolloutInProgress(rollout) || state === 'stuck' || state === 'deadlineExceeded') return observation;
  const isBefore = rollout.hash !== null && rollout.hash !== record.to.hash;
  const { message, since } = rollout;
  const pace: Pace = { at, state: findPace(rollout.state, !isBefore), message, stateSince: since };
  return rollout.state === 'waiting' ? { ...pace, awaitsApproval: true } : pace;
}

function planOf({ steps }: ObservedProgressiveRollout): PlannedStep[] {
  return steps.map(({ index, replicas, traffic, pause }) => ({
    index,
    replicas: replicas.requested,
    traffic: traffic.planned,
    pause,
  }));
}

type State = ObservedProgressiveRollout['state'];

function isCutShort(state: State): boolean {
  return cutShortResult(state) !== null;
}

/** Without its controller, the workload gets the rest at once. */
function cutShortResult(state: State): 'disabled' | 'deleted' | null {
  if (state === 'disabling' || state === 'disabled') return 'disabled';
  return state === 'terminating' ? 'deleted' : null;
}
