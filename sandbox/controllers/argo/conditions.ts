import { type ArgoReconcile, revisionOf } from '@/sandbox/controllers/argo/argo-reconcile';
import { type ArgoStatus } from '@/sandbox/controllers/argo/argo-rollout';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import { type Condition } from '@/sandbox/controllers/objects/workloads';

const DEADLINE_SECONDS = 600;

/**
 * The conditions of a status; `hasArrived`: the spec is fully rolled out.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (calculateRolloutConditions)
 */
export function withConditions(
  reconcile: ArgoReconcile,
  status: ArgoStatus,
  hasArrived: boolean,
): Condition[] {
  const { spec } = reconcile.rollout;
  const isPaused = status.pauseConditions !== undefined || spec.paused === true;
  const isHealthy = !isPaused && hasArrived;
  const isAvailable = (status.availableReplicas ?? 0) >= spec.replicas;
  const isCompleted = status.stableRS !== undefined && status.stableRS === status.currentPodHash;
  let conditions = withoutCondition(status.conditions ?? [], 'InvalidSpec');
  const set = (type: string, value: boolean, reason: string, message: string) => {
    const condition = newCondition(reconcile.manager.now(), type, value ? 'True' : 'False', reason, message);
    conditions = withCondition(conditions, condition);
  };
  const isKnown = (type: string) => conditionOf(conditions, type) !== undefined;

  if (isHealthy || isKnown('Healthy'))
    set('Healthy', isHealthy, 'RolloutHealthy', `Rollout is ${isHealthy ? '' : 'not '}healthy`);
  conditions = withProgress(reconcile, { ...status, conditions }, isPaused, isHealthy);
  if (isPaused || isKnown('Paused')) set('Paused', isPaused, 'RolloutPaused', 'Rollout is paused');
  const availability = isAvailable ? 'has' : 'does not have';
  set('Available', isAvailable, 'AvailableReason', `Rollout ${availability} minimum availability`);
  set('Completed', isCompleted, 'RolloutCompleted', 'RolloutCompleted');
  return conditions;
}

export function withAbort(
  reconcile: ArgoReconcile,
  conditions: readonly Condition[],
  cause = '',
): Condition[] {
  const { fresh, manager } = reconcile;
  const revision = fresh === undefined ? 0 : revisionOf(fresh);
  const message = `Rollout aborted update to revision ${revision}${cause === '' ? '' : `: ${cause}`}`;
  if (conditionOf(conditions, 'Progressing')?.reason !== 'RolloutAborted')
    reconcile.record('RolloutAborted', message, 'Warning');
  return withCondition(
    conditions,
    newCondition(manager.now(), 'Progressing', 'False', 'RolloutAborted', message),
  );
}

function withProgress(
  reconcile: ArgoReconcile,
  status: ArgoStatus & { conditions: Condition[] },
  isPaused: boolean,
  isHealthy: boolean,
): Condition[] {
  const { rollout, fresh, manager } = reconcile;
  const { conditions } = status;
  const present = conditionOf(conditions, 'Progressing');
  const name = fresh?.metadata.name ?? '';
  const next = (value: 'True' | 'False' | 'Unknown', reason: string, message: string) =>
    withCondition(conditions, newCondition(manager.now(), 'Progressing', value, reason, message));
  if (status.abort === true) return withAbort(reconcile, conditions);
  if (isPaused) return next('Unknown', 'RolloutPaused', 'Rollout is paused');
  if (isHealthy)
    return next('True', 'NewReplicaSetAvailable', `ReplicaSet "${name}" has successfully progressed.`);
  if (present?.reason === 'RolloutAborted')
    return next('Unknown', 'RolloutRetry', 'Retrying Rollout after abort');
  if (present?.reason === 'RolloutPaused') return next('Unknown', 'RolloutResumed', 'Rollout is resumed');
  if (present === undefined || hasProgressed(rollout.status, status)) {
    const message = `ReplicaSet "${name}" is progressing.`;
    const updated = newCondition(manager.now(), 'Progressing', 'True', 'ReplicaSetUpdated', message);
    if (present?.status === 'True') updated.lastTransitionTime = present.lastTransitionTime;
    return [...withoutCondition(conditions, 'Progressing'), updated];
  }
  if (manager.now() < progressDeadline(reconcile, status)) return conditions;
  return next('False', 'ProgressDeadlineExceeded', `ReplicaSet "${name}" has timed out progressing.`);
}

function hasProgressed(before: ArgoStatus, after: ArgoStatus): boolean {
  const hasGrown = (['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const).some(
    (count) => (after[count] ?? 0) > (before[count] ?? 0),
  );
  const hasChanged = (['currentStepIndex', 'currentPodHash', 'stableRS'] as const).some(
    (member) => after[member] !== before[member],
  );
  return hasGrown || hasChanged || after.blueGreen?.activeSelector !== before.blueGreen?.activeSelector;
}

/** Milliseconds since the epoch; never while the rollout is paused, or an analysis runs. */
export function progressDeadline(
  { rollout }: ArgoReconcile,
  { conditions = [], canary }: ArgoStatus,
): number {
  const { reason = '', lastUpdateTime = '' } = conditionOf(conditions, 'Progressing') ?? {};
  const isUnderWay = ['ReplicaSetUpdated', 'RolloutRetry', 'RolloutResumed'].includes(reason);
  if (!isUnderWay || canary?.currentStepAnalysisRunStatus !== undefined) return Infinity;
  return Date.parse(lastUpdateTime) + (rollout.spec.progressDeadlineSeconds ?? DEADLINE_SECONDS) * 1000;
}
