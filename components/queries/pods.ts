import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterOf, workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** The pods of a workload, each with its revision. */
export function podsQuery(workload: WorkloadRef) {
  const query = clusterOf(workload);
  return queryOptions({
    queryKey: [...workloadKey(workload), 'pods', query.cluster],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/pods', { params: workload, query, signal }),
  });
}
