import { formatAmount } from '@/lib/kube/amount';
import { valueAt } from '@/lib/kube/read';
import { isOrdered, partitionOf, strategyOf } from '@/lib/workloads/stateful-set/ordinals';
import { type Workload } from '@/lib/history/workload';

/** "RollingUpdate, partition 2, ordered", "OnDelete, parallel". */
export function describeStatefulSetStrategy(workload: Workload): string {
  const partition = partitionOf(workload);
  const unavailable = valueAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'maxUnavailable');
  return [
    strategyOf(workload),
    ...(partition > 0 ? [`partition ${partition}`] : []),
    ...(unavailable === undefined ? [] : [`unavailable ${formatAmount(unavailable)}`]),
    isOrdered(workload) ? 'ordered' : 'parallel',
  ].join(', ');
}
