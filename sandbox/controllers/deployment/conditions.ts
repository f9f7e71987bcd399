import type { Condition } from '@/sandbox/controllers/objects/workloads';
import { timeText } from '@/sandbox/controllers/objects/time';

/** Reasons of the condition Progressing. */
export const PROGRESSING = {
  created: 'NewReplicaSetCreated',
  found: 'FoundNewReplicaSet',
  updated: 'ReplicaSetUpdated',
  available: 'NewReplicaSetAvailable',
  timedOut: 'ProgressDeadlineExceeded',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
} as const;

export function newCondition(
  now: number,
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
): Condition {
  const time = timeText(now);
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/**
 * The conditions with this one at the end, unless one of the same status and reason exists. The transition
 * time changes only with the status.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (SetDeploymentCondition)
 */
export function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  const present = conditionOf(conditions, condition.type);
  if (present?.status === condition.status && present.reason === condition.reason) return [...conditions];
  const hasMoved = present?.status !== condition.status;
  const lastTransitionTime = hasMoved ? condition.lastTransitionTime : present.lastTransitionTime;
  return [...withoutCondition(conditions, condition.type), { ...condition, lastTransitionTime }];
}

export function withoutCondition(conditions: readonly Condition[], type: string): Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}
