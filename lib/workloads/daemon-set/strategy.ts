import { formatAmount, resolveAmount } from '@/lib/kube/amount';
import { numberAt, textAt, valueAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

/** Nodes that should run a pod, as the controller counted them. */
export function desiredNodes({ status }: Pick<Workload, 'status'>): number {
  return numberAt(status, 'desiredNumberScheduled') ?? 0;
}

export function isOnDelete({ spec }: Pick<Workload, 'spec'>): boolean {
  return textAt(spec, 'updateStrategy', 'type') === 'OnDelete';
}

/** "RollingUpdate, unavailable 1", "RollingUpdate, surge 25%, unavailable 0", "OnDelete". */
export function describeDaemonSetStrategy(workload: Workload): string {
  if (isOnDelete(workload)) return 'OnDelete';
  const rolling = ['updateStrategy', 'rollingUpdate'];
  const surge = valueAt(workload.spec, ...rolling, 'maxSurge') ?? 0;
  const unavailable = valueAt(workload.spec, ...rolling, 'maxUnavailable') ?? 1;
  return [
    'RollingUpdate',
    ...(resolveAmount(surge, 100, Math.ceil) === 0 ? [] : [`surge ${formatAmount(surge)}`]),
    `unavailable ${formatAmount(unavailable)}`,
  ].join(', ');
}

/**
 * How many nodes may be without an available pod during an update; rounds up.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go
 */
export function maxUnavailableNodes(workload: Workload): number {
  const rolling = ['updateStrategy', 'rollingUpdate'];
  const desired = desiredNodes(workload);
  const surge = resolveAmount(valueAt(workload.spec, ...rolling, 'maxSurge') ?? 0, desired, Math.ceil);
  const unavailable = resolveAmount(
    valueAt(workload.spec, ...rolling, 'maxUnavailable') ?? 1,
    desired,
    Math.ceil,
  );
  return surge === 0 && unavailable === 0 ? 1 : unavailable;
}
