import { amount, resolveAmount } from '@/lib/workloads/amount';
import { numberAt, textAt, valueAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';

/** How many pods above and below the desired number a rolling update may go. */
export interface Leeway {
  surge: number;
  unavailable: number;
}

/** "RollingUpdate, surge 25 %, unavailable 25 %" or "Recreate". */
export function describeDeploymentStrategy({ spec }: Workload): string {
  if (isRecreate({ spec })) return 'Recreate';
  const surge = valueAt(spec, 'strategy', 'rollingUpdate', 'maxSurge') ?? '25%';
  const unavailable = valueAt(spec, 'strategy', 'rollingUpdate', 'maxUnavailable') ?? '25%';
  return `RollingUpdate, surge ${amount(surge)}, unavailable ${amount(unavailable)}`;
}

export function isRecreate({ spec }: Pick<Workload, 'spec'>): boolean {
  return textAt(spec, 'strategy', 'type') === 'Recreate';
}

export function desiredReplicas({ spec }: Pick<Workload, 'spec'>): number {
  return numberAt(spec, 'replicas') ?? 1;
}

/**
 * The surge rounds up and the unavailable part down; both 0 would never move, so one may then be missing.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts)
 */
export function leewayOf(workload: Pick<Workload, 'spec'>): Leeway {
  const desired = desiredReplicas(workload);
  const at = (member: string) => valueAt(workload.spec, 'strategy', 'rollingUpdate', member) ?? '25%';
  const surge = resolveAmount(at('maxSurge'), desired, Math.ceil);
  const unavailable = resolveAmount(at('maxUnavailable'), desired, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
