import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** A workload with its whole history. */
export function workloadDetailQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'detail'],
    queryFn: ({ signal }) => apiFetch<WorkloadDetail>(workloadApiPath(workload), { signal }),
  });
}
