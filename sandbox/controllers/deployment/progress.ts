import { deepEqual } from '@/lib/kube/json';
import {
  conditionOf,
  newCondition,
  PROGRESSING,
  withCondition,
  withoutCondition,
} from '@/sandbox/controllers/deployment/conditions';
import type { DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { availableIn, desiredIn, everySet, type Sets } from '@/sandbox/controllers/deployment/replica-sets';
import { maxUnavailable } from '@/sandbox/controllers/deployment/scale';
import { sumOf, withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { timeOf } from '@/sandbox/controllers/objects/time';
import type { Condition, Deployment, DeploymentStatus } from '@/sandbox/controllers/objects/workloads';

/** Times of conditions have whole seconds, so a reconcile exactly at the deadline might be too early. */
const SLACK_MS = 1000;

/**
 * The status that follows from the ReplicaSets.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (calculateStatus)
 */
function statusOf({ spec, metadata, status }: Deployment, sets: Sets, now: number): DeploymentStatus {
  const all = everySet(sets);
  const availableReplicas = availableIn(all);
  const isAvailable = availableReplicas >= spec.replicas - maxUnavailable(spec);
  const reason = isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable';
  const message = `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`;
  const available = newCondition(now, 'Available', isAvailable ? 'True' : 'False', reason, message);
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: sumOf(all, (set) => set.status.replicas),
    updatedReplicas: sets.fresh?.status.replicas ?? 0,
    readyReplicas: sumOf(all, (set) => set.status.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, desiredIn(all) - availableReplicas),
    terminatingReplicas: sumOf(all, (set) => set.status.terminatingReplicas),
    conditions: withCondition(status.conditions ?? [], available),
  };
}

/** All pods are of the current template and available, and no other is left. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  return (
    (status.updatedReplicas ?? 0) === spec.replicas &&
    (status.replicas ?? 0) === spec.replicas &&
    (status.availableReplicas ?? 0) === spec.replicas &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** Writes the status without assessing progress. */
export async function saveStatus(rollout: DeploymentReconcile, sets: Sets): Promise<void> {
  await rollout.saveStatus(statusOf(rollout.deployment, sets, rollout.manager.now()));
}

/**
 * Writes the status with the progress of the rollout. A stalled rollout sends no event, so a timer has to.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/progress.go (syncRolloutStatus)
 */
export async function saveProgress(rollout: DeploymentReconcile, sets: Sets): Promise<void> {
  const { deployment } = rollout;
  const now = rollout.manager.now();
  const status = statusOf(deployment, sets, now);
  const conditions = progressConditions(rollout, sets, status, now);
  const next = withoutZeros({ ...status, conditions }, ['terminatingReplicas']);
  if (!deepEqual(next, deployment.status)) return rollout.saveStatus(next);
  const deadline = deadlineOf(rollout, conditionOf(conditions, 'Progressing'));
  if (deadline !== undefined && !isComplete(deployment, next))
    rollout.requeueAfter(Math.max(0, deadline - now) + SLACK_MS);
}

function progressConditions(
  rollout: DeploymentReconcile,
  sets: Sets,
  status: DeploymentStatus,
  now: number,
): Condition[] {
  const { deployment } = rollout;
  const conditions = status.conditions ?? [];
  if (rollout.deadlineSeconds === undefined) return withoutCondition(conditions, 'Progressing');
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
  const deadline = deadlineOf(rollout, present);
  const hasTimedOut = present?.reason === PROGRESSING.timedOut || (deadline !== undefined && deadline < now);
  if (!hasTimedOut || present?.reason === PROGRESSING.available) return conditions;
  return withCondition(conditions, condition('False', PROGRESSING.timedOut, 'has timed out progressing'));
}

/** More new pods, fewer old ones, or more that are ready or available. */
function isProgressing(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const counts = ({
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
  }: DeploymentStatus) => [updatedReplicas, updatedReplicas - replicas, readyReplicas, availableReplicas];
  const then = counts(before);
  return counts(after).some((count, index) => count > (then[index] ?? 0));
}

/** Milliseconds since the epoch at which a rollout without progress is stalled; undefined once it is, or without a deadline. */
function deadlineOf({ deadlineSeconds }: DeploymentReconcile, present?: Condition): number | undefined {
  const since = timeOf(present?.lastUpdateTime);
  if (since === undefined || deadlineSeconds === undefined) return undefined;
  return present?.reason === PROGRESSING.timedOut ? undefined : since + deadlineSeconds * 1000;
}
