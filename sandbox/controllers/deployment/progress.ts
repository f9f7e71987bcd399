import { deepEqual } from '@/lib/kube/json';
import {
  conditionOf,
  newCondition,
  PROGRESSING,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import { everySet, type Sets } from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { isComplete, statusOf } from '@/sandbox/controllers/deployment/status';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { timeOf } from '@/sandbox/controllers/objects/time';
import {
  type Condition,
  type Deployment,
  type DeploymentStatus,
} from '@/sandbox/controllers/objects/workloads';

/** Times of conditions have whole seconds, so a reconcile exactly at the deadline might be too early. */
const SLACK_MS = 1000;

/**
 * Writes the status with the progress of the rollout.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/progress.go (syncRolloutStatus)
 */
export async function saveProgress(rollout: DeploymentReconcile, sets: Sets): Promise<void> {
  const { deployment } = rollout;
  const now = rollout.manager.now();
  const status = statusOf(deployment, sets, now);
  const conditions = withFailure(sets, progressConditions(rollout, sets, status, now));
  const next = withoutZeros({ ...status, conditions }, ['terminatingReplicas', 'collisionCount']);
  if (deepEqual(next, deployment.status)) {
    lookAgainAtDeadline(rollout, next, now);
    return;
  }
  await rollout.saveStatus(next);
}

function progressConditions(
  rollout: DeploymentReconcile,
  sets: Sets,
  status: DeploymentStatus,
  now: number,
): Condition[] {
  const { deployment } = rollout;
  const conditions = status.conditions ?? [];
  if (!rollout.hasDeadline) return withoutCondition(conditions, 'Progressing');
  const present = conditionOf(rollout.conditions, 'Progressing');
  const isDone = status.replicas === status.updatedReplicas && present?.reason === PROGRESSING.available;
  if (isDone) return conditions;
  const subject =
    sets.fresh === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${sets.fresh.metadata.name}"`;
  const condition = (state: 'True' | 'False', reason: string, what: string) =>
    newCondition(now, 'Progressing', state, reason, `${subject} ${what}.`);
  if (isComplete(deployment, status)) {
    const done = condition('True', PROGRESSING.available, 'has successfully progressed');
    return withCondition(conditions, done);
  }
  if (isProgressing(deployment.status, status)) {
    const moving = condition('True', PROGRESSING.updated, 'is progressing');
    // Any progress renews the update time, even when status and reason stay.
    const lastTransitionTime =
      present?.status === 'True' ? present.lastTransitionTime : moving.lastTransitionTime;
    return [...withoutCondition(conditions, 'Progressing'), { ...moving, lastTransitionTime }];
  }
  if (hasTimedOut(deployment, present, now))
    return withCondition(conditions, condition('False', PROGRESSING.timedOut, 'has timed out progressing'));
  return conditions;
}

/** More new pods, fewer old ones, or more that are ready or available. */
export function isProgressing(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const count = (
    status: DeploymentStatus,
    member: 'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas',
  ) => status[member] ?? 0;
  const old = (status: DeploymentStatus) => count(status, 'replicas') - count(status, 'updatedReplicas');
  return (
    count(after, 'updatedReplicas') > count(before, 'updatedReplicas') ||
    old(after) < old(before) ||
    count(after, 'readyReplicas') > count(before, 'readyReplicas') ||
    count(after, 'availableReplicas') > count(before, 'availableReplicas')
  );
}

function hasTimedOut({ spec }: Deployment, present: Condition | undefined, now: number): boolean {
  if (present === undefined || present.reason === PROGRESSING.available) return false;
  if (present.reason === PROGRESSING.timedOut) return true;
  const from = timeOf(present.lastUpdateTime) ?? 0;
  return from + (spec.progressDeadlineSeconds ?? 0) * 1000 < now;
}

/** A stalled rollout sends no event, so a timer has to. */
function lookAgainAtDeadline(rollout: DeploymentReconcile, status: DeploymentStatus, now: number): void {
  const { deployment, hasDeadline, conditions } = rollout;
  const present = conditionOf(conditions, 'Progressing');
  if (!hasDeadline || present === undefined || present.reason === PROGRESSING.timedOut) return;
  if (isComplete(deployment, status)) return;
  const from = timeOf(present.lastUpdateTime) ?? now;
  const deadline = from + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;
  rollout.requeueAfter(Math.max(0, deadline - now) + SLACK_MS);
}

/** Copies the failure of a ReplicaSet that can't create its pods to the Deployment, the new one first. */
function withFailure(sets: Sets, conditions: Condition[]): Condition[] {
  const inOrder = sets.fresh === undefined ? sets.old : [sets.fresh, ...everySet(sets)];
  const [failure] = inOrder.flatMap(
    ({ status }) => conditionOf(status.conditions ?? [], 'ReplicaFailure') ?? [],
  );
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  return withCondition(conditions, { ...failure, lastUpdateTime: failure.lastTransitionTime });
}
