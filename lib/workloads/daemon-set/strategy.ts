import { formatStrategy } from '@/lib/messages/plan';
import { resolveAmount } from '@/lib/kube/amount';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
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
  const { maxSurge: surge, maxUnavailable: unavailable = 1 } =
    objectAt(workload.spec, 'updateStrategy', 'rollingUpdate') ?? {};
  return formatStrategy('RollingUpdate', { surge, unavailable });
}

/**
 * How many nodes may be without an available pod during an update; rounds up.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go
 */
export function maxUnavailableNodes(workload: Workload): number {
  const { maxSurge = 0, maxUnavailable = 1 } =
    objectAt(workload.spec, 'updateStrategy', 'rollingUpdate') ?? {};
  const desired = desiredNodes(workload);
  const unavailable = resolveAmount(maxUnavailable, desired, Math.ceil);
  return unavailable === 0 && resolveAmount(maxSurge, desired, Math.ceil) === 0 ? 1 : unavailable;
}
