import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { workloadDetailSchema } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** A workload with its whole history. */
export function workloadDetailQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'detail'],
    queryFn: ({ signal }) => apiFetch(workloadApiPath(workload), workloadDetailSchema, { signal }),
  });
}
