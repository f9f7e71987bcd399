import { resolveAmount } from '@/lib/kube/amount';
import { type IntOrString } from '@/sandbox/controllers/objects/workloads';

/**
 * How many of `total` pods keep their revision. A percentage below 100% leaves at least one pod to update.
 * https://github.com/openkruise/kruise/blob/master/pkg/util/tools.go (CalculatePartitionReplicas)
 */
export function countKept(partition: IntOrString | null | undefined, total: number): number {
  const kept = Math.min(total, resolveAmount(partition ?? 0, total, Math.ceil));
  const isPart = typeof partition === 'string' && partition !== '100%';
  return isPart && total > 1 ? Math.min(kept, total - 1) : kept;
}
