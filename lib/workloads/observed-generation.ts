import type { Workload } from '@/lib/history/workload';
import { numberAt } from '@/lib/kube/read';

export function isObserved({ status, generation }: Workload): boolean {
  return (numberAt(status, 'observedGeneration') ?? 0) >= generation;
}

/** Of kinds whose objects have an observed generation of 0 until a controller has observed them. */
export function isObservedOnce({ status, generation }: Workload): boolean {
  const observed = numberAt(status, 'observedGeneration') ?? 0;
  return observed !== 0 && observed >= generation;
}
