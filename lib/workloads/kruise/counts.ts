import type { KruiseCounts } from '@/lib/workloads/kruise/status';
import { numberAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

/** The counts of a CloneSet or an Advanced StatefulSet. */
export function countsOfPods({ status }: Workload): KruiseCounts {
  const ready = numberAt(status, 'readyReplicas') ?? 0;
  return {
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    ready,
    available: numberAt(status, 'availableReplicas') ?? ready,
  };
}
