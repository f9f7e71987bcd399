import { formatAmount, resolveAmount } from '@/lib/kube/amount';
import { numberAt, textAt, valueAt } from '@/lib/kube/read';
import { formatCount } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

type Spec = Pick<Workload, 'spec'>;

const ROLLING = ['rolloutStrategy', 'rollingUpdateConfiguration'] as const;

/** Groups, not pods. */
export function replicasOf({ spec }: Spec): number {
  return numberAt(spec, 'replicas') ?? 1;
}

/** Pods of a group, including its leader. */
export function sizeOf({ spec }: Spec): number {
  return numberAt(spec, 'leaderWorkerTemplate', 'size') ?? 1;
}

/** Groups with a lower index stay on their revision. */
export function partitionOf({ spec }: Spec): number {
  return numberAt(spec, ...ROLLING, 'partition') ?? 0;
}

/** Groups above the desired number during a rollout. */
export function surgeOf(workload: Spec): number {
  const replicas = replicasOf(workload);
  const surge = valueAt(workload.spec, ...ROLLING, 'maxSurge') ?? 0;
  return Math.min(replicas, Math.max(0, resolveAmount(surge, replicas, Math.ceil)));
}

/** Groups that may be missing at a time. */
export function unavailableOf(workload: Spec): number {
  const unavailable = valueAt(workload.spec, ...ROLLING, 'maxUnavailable') ?? 1;
  return Math.max(0, resolveAmount(unavailable, replicasOf(workload), Math.floor));
}

/** "RollingUpdate, partition 2, surge 1, unavailable 1". */
export function describeStrategy(workload: Workload): string {
  const { spec } = workload;
  const partition = partitionOf(workload);
  const surge = valueAt(spec, ...ROLLING, 'maxSurge') ?? 0;
  const unavailable = valueAt(spec, ...ROLLING, 'maxUnavailable') ?? 1;
  return [
    textAt(spec, 'rolloutStrategy', 'type') ?? 'RollingUpdate',
    ...(partition > 0 ? [`partition ${partition}`] : []),
    ...(surgeOf(workload) > 0 ? [`surge ${formatAmount(surge)}`] : []),
    `unavailable ${formatAmount(unavailable)}`,
  ].join(', ');
}

/** The order of the groups, and how many at a time: a clause after "groups are replaced". */
export function describePace(workload: Spec): string {
  const surge = surgeOf(workload);
  const unavailable = unavailableOf(workload);
  const highest = 'highest index first';
  if (surge === 0) return `${highest}, at most ${Math.max(1, unavailable)} at a time`;
  const replicas = replicasOf(workload);
  return `${highest}, ${Math.max(0, replicas - unavailable)}–${formatCount(replicas + surge, 'group')} at any time`;
}
