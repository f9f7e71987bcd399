import { type ArgoStatus, stepsOf } from '@/sandbox/controllers/argo/argo-rollout';
import { revisionOf } from '@/sandbox/controllers/argo/annotations';
import { type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import { type Condition } from '@/sandbox/controllers/objects/workloads';

const DEADLINE_SECONDS = 600;

/**
 * The status with its conditions.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (calculateRolloutConditions)
 */
export function withConditions(reconcile: ArgoReconcile, status: ArgoStatus, now: number): ArgoStatus {
  const { rollout, fresh } = reconcile;
  const isPaused = (status.pauseConditions?.length ?? 0) > 0 || rollout.spec.paused === true;
  const isHealthy = !isPaused && hasArrived(reconcile, status);
  const isPromoted = status.stableRS !== undefined && status.stableRS === status.currentPodHash;
  let conditions = withoutCondition(status.conditions ?? [], 'InvalidSpec');
  const set = (type: string, value: Condition['status'], reason: string, message: string) => {
    conditions = withCondition(conditions, newCondition(now, type, value as 'True', reason, message));
  };

  if (isHealthy) set('Healthy', 'True', 'RolloutHealthy', 'Rollout is healthy');
  else if (conditionOf(conditions, 'Healthy') !== undefined)
    set('Healthy', 'False', 'RolloutHealthy', 'Rollout is not healthy');

  conditions = withProgress(reconcile, { ...status, conditions }, { isPaused, isHealthy }, now);
  if (isPaused || conditionOf(conditions, 'Paused') !== undefined)
    set('Paused', isPaused ? 'True' : 'False', 'RolloutPaused', 'Rollout is paused');

  const isAvailable = (status.availableReplicas ?? 0) >= rollout.spec.replicas;
  const availability = isAvailable ? 'has' : 'does not have';
  set(
    'Available',
    isAvailable ? 'True' : 'False',
    'AvailableReason',
    `Rollout ${availability} minimum availability`,
  );

  const wasCompleted = conditionOf(conditions, 'Completed')?.status;
  set('Completed', isPromoted ? 'True' : 'False', 'RolloutCompleted', 'RolloutCompleted');
  if (!isPromoted && wasCompleted !== 'False' && fresh === undefined) {
    const next = Math.max(0, ...reconcile.sets.map(revisionOf)) + 1;
    const message = `Rollout not completed, started update to revision ${next} (${status.currentPodHash ?? ''})`;
    reconcile.record('Normal', 'RolloutNotCompleted', message);
  }
  return { ...status, conditions };
}

function withProgress(
  reconcile: ArgoReconcile,
  status: ArgoStatus & { conditions: Condition[] },
  { isPaused, isHealthy }: { isPaused: boolean; isHealthy: boolean },
  now: number,
): Condition[] {
  const { rollout, fresh } = reconcile;
  const { conditions } = status;
  const present = conditionOf(conditions, 'Progressing');
  const name = fresh?.metadata.name ?? '';
  const next = (value: 'True' | 'False' | 'Unknown', reason: string, message: string) =>
    withCondition(conditions, newCondition(now, 'Progressing', value, reason, message));
  if (status.abort === true) {
    const revision = fresh === undefined ? 0 : revisionOf(fresh);
    const why = reconcile.pause.abortMessage;
    const message = `Rollout aborted update to revision ${revision}${why === '' ? '' : `: ${why}`}`;
    if (present?.reason !== 'RolloutAborted') reconcile.record('Warning', 'RolloutAborted', message);
    return next('False', 'RolloutAborted', message);
  }
  if (isPaused) return next('Unknown', 'RolloutPaused', 'Rollout is paused');
  if (isHealthy)
    return next('True', 'NewReplicaSetAvailable', `ReplicaSet "${name}" has successfully progressed.`);
  if (present?.reason === 'RolloutAborted')
    return next('Unknown', 'RolloutRetry', 'Retrying Rollout after abort');
  if (present?.reason === 'RolloutPaused') return next('Unknown', 'RolloutResumed', 'Rollout is resumed');
  if (present === undefined || progressed.since(rollout.status, status)) {
    const updated = newCondition(
      now,
      'Progressing',
      'True',
      'ReplicaSetUpdated',
      `ReplicaSet "${name}" is progressing.`,
    );
    const lastTransitionTime =
      present?.status === 'True' ? present.lastTransitionTime : updated.lastTransitionTime;
    return [
      ...withoutCondition(conditions, 'Progressing'),
      { ...updated, ...(lastTransitionTime && { lastTransitionTime }) },
    ];
  }
  if (now < progressed.deadline(reconcile, status)) return conditions;
  const message = `ReplicaSet "${name}" has timed out progressing.`;
  if (rollout.spec.progressDeadlineAbort === true) reconcile.pause.abort(message);
  return next('False', 'ProgressDeadlineExceeded', message);
}

/** The spec is fully rolled out. */
function hasArrived({ rollout }: ArgoReconcile, status: ArgoStatus): boolean {
  const { replicas, strategy } = rollout.spec;
  const { updatedReplicas = 0, availableReplicas = 0, currentPodHash, blueGreen } = status;
  const isCounted = updatedReplicas === replicas && availableReplicas === replicas;
  if (!isCounted || status.stableRS !== currentPodHash) return false;
  if (strategy.blueGreen === undefined)
    return (status.currentStepIndex ?? 0) === stepsOf(rollout.spec).length;
  const hasPreview = strategy.blueGreen.previewService !== undefined;
  return (
    blueGreen?.activeSelector === currentPodHash &&
    (!hasPreview || blueGreen?.previewSelector === currentPodHash)
  );
}

export const progressed = {
  /** Whether the rollout has progressed from one status to the other. */
  since(before: ArgoStatus, after: ArgoStatus): boolean {
    const old = ({ replicas = 0, updatedReplicas = 0 }: ArgoStatus) => replicas - updatedReplicas;
    const grew = (['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const).some(
      (count) => (after[count] ?? 0) > (before[count] ?? 0),
    );
    return (
      grew ||
      old(after) < old(before) ||
      after.currentStepIndex !== before.currentStepIndex ||
      after.currentPodHash !== before.currentPodHash ||
      after.stableRS !== before.stableRS ||
      after.blueGreen?.activeSelector !== before.blueGreen?.activeSelector
    );
  },
  /**
   * Milliseconds since the epoch of the progress deadline; never while the rollout is paused or an analysis
   * runs.
   */
  deadline({ rollout, isAborted }: ArgoReconcile, status: ArgoStatus): number {
    const condition = conditionOf(status.conditions ?? [], 'Progressing');
    const step = stepsOf(rollout.spec)[rollout.status.currentStepIndex ?? 0];
    const isUnderWay = condition !== undefined && condition.reason !== 'NewReplicaSetAvailable';
    const isTold = condition?.reason === 'ProgressDeadlineExceeded' || condition?.reason === 'RolloutPaused';
    const isWaiting = step?.pause !== undefined || step?.analysis !== undefined;
    if (!isUnderWay || isTold || isAborted || (isWaiting && status.stableRS !== status.currentPodHash))
      return Infinity;
    const seconds = rollout.spec.progressDeadlineSeconds ?? DEADLINE_SECONDS;
    return Date.parse(condition.lastUpdateTime ?? '') + seconds * 1000;
  },
};
