import { rollingLimitsOf } from '@/lib/workloads/deployment/strategy';
import { type DeploymentSpec } from '@/sandbox/controllers/objects/workloads';

export function isRolling({ strategy }: DeploymentSpec): boolean {
  return strategy.type === 'RollingUpdate';
}

/** How many pods above the desired number there may be. */
export function maxSurge(spec: DeploymentSpec): number {
  return isRolling(spec) ? rollingLimitsOf({ spec }).surge : 0;
}

/** How many of the desired pods may be missing. */
export function maxUnavailable(spec: DeploymentSpec): number {
  if (!isRolling(spec) || spec.replicas === 0) return 0;
  return Math.min(rollingLimitsOf({ spec }).unavailable, spec.replicas);
}

/**
 * The current size limit of the new ReplicaSet.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (NewRSNewReplicas)
 */
export function newSize(spec: DeploymentSpec, present: { own: number; all: number }): number {
  if (!isRolling(spec)) return spec.replicas;
  const room = spec.replicas + maxSurge(spec) - present.all;
  return room <= 0 ? present.own : present.own + Math.min(room, spec.replicas - present.own);
}
