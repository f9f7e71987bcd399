import { patchRight, patchWorkload, testUid } from '@/lib/workloads/patch';
import { type JsonPatchOperation, type Plan } from '@/lib/workloads/plan';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Workload } from '@/lib/workloads/workload';

/** A move of the partition: where it is written and what follows is for the kind to say. */
export interface PartitionMove {
  /** As the spec has it: `3`, `20%`. */
  from: string | number;
  to: number;
  operations: readonly JsonPatchOperation[];
  steps: readonly string[];
  kubectl: string;
}

/** The plan of a move of the partition, which is alike for all kinds that have one. */
export function partitionPlan(
  resource: ResourceType,
  workload: Workload,
  { from, to, operations, steps, kubectl }: PartitionMove,
): Plan {
  return {
    action: 'partition',
    title: `Move the partition of ${workload.name} from ${from} to ${to}`,
    write: patchWorkload(resource, workload, [testUid(workload), ...operations]),
    needs: patchRight(resource, workload),
    steps,
    stays: ['The template, the replicas and every other setting stay.'],
    kubectl,
  };
}
