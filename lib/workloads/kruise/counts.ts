import { type Counts } from '@/lib/workloads/kruise/status';
import { numberAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';

/** The counts of a CloneSet or an Advanced StatefulSet. */
export function countsOfPods({ status }: Workload): Counts {
  const ready = numberAt(status, 'readyReplicas') ?? 0;
  return {
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    ready,
    available: numberAt(status, 'availableReplicas') ?? ready,
  };
}
