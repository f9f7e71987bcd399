import { patchRight, patchWorkload, testUid } from '@/lib/workloads/patch';
import type { JsonPatchOperation, Plan } from '@/lib/workloads/plan';
import type { ResourceType } from '@/lib/kube/resource';
import type { Workload } from '@/lib/history/workload';

/** A move of the partition: the kind determines where it is written and what follows. */
interface PartitionMove {
  /** As in the spec: `3`, `20%`. */
  from: string | number;
  to: number;
  operations: readonly JsonPatchOperation[];
  steps: readonly string[];
  kubectl: string;
}

/** The plan of a move of the partition, shared by all kinds that have one. */
export function planPartitionMove(
  resource: ResourceType,
  workload: Workload,
  { from, to, operations, steps, kubectl }: PartitionMove,
): Plan {
  return {
    action: 'partition',
    title: `Set partition of ${workload.name} from ${from} to ${to}`,
    write: patchWorkload(resource, workload, [testUid(workload), ...operations]),
    needs: patchRight(resource, workload),
    steps,
    stays: ['The template, replicas and all other settings are unchanged.'],
    kubectl,
  };
}
