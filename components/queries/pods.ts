import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import { workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** The pods of a workload, each with its revision. */
export function podsQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'pods'],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/pods', {
        params: workload,
        query: inCluster(workload),
        signal,
      }),
  });
}
