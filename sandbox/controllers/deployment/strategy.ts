import { resolveAmount } from '@/lib/kube/amount';
import { type DeploymentSpec } from '@/sandbox/controllers/objects/workloads';

export function isRolling({ strategy }: DeploymentSpec): boolean {
  return strategy.type === 'RollingUpdate';
}

/** How many pods above the desired number there may be. */
export function maxSurge(spec: DeploymentSpec): number {
  const { strategy, replicas } = spec;
  if (!isRolling(spec)) return 0;
  return resolveAmount(strategy.rollingUpdate?.maxSurge ?? '25%', replicas, Math.ceil);
}

/** How many of the desired pods may be missing; with neither these nor a surge an update would never progress. */
export function maxUnavailable(spec: DeploymentSpec): number {
  if (!isRolling(spec)) return 0;
  const { strategy, replicas } = spec;
  const some = resolveAmount(strategy.rollingUpdate?.maxUnavailable ?? '25%', replicas, Math.floor);
  return Math.min(maxSurge(spec) === 0 ? Math.max(1, some) : some, replicas);
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
