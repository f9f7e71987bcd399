import { resolveAmount } from '@/lib/kube/amount';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';
import { formatStrategy, paceByLimits } from '@/lib/messages/plan';
import type { Workload } from '@/lib/history/workload';

type Spec = Pick<Workload, 'spec'>;

export const ROLLING = ['rolloutStrategy', 'rollingUpdateConfiguration'] as const;

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
  const { maxSurge: surge, maxUnavailable: unavailable = 1 } = objectAt(spec, ...ROLLING) ?? {};
  const type = textAt(spec, 'rolloutStrategy', 'type') ?? 'RollingUpdate';
  return formatStrategy(type, { partition: partitionOf(workload), surge, unavailable });
}

/** The order of the groups, and how many at a time: a clause after "groups are replaced". */
export function describePace(workload: Spec): string {
  const surge = surgeOf(workload);
  const unavailable = unavailableOf(workload);
  const highest = 'highest index first';
  if (surge === 0) return `${highest}, at most ${Math.max(1, unavailable)} at a time`;
  return `${highest}, ${paceByLimits(replicasOf(workload), surge, unavailable, 'group')}`;
}
