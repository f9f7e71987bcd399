import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterOf, workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** The events of a workload, of its source objects and of its pods. */
export function eventsQuery(workload: WorkloadRef) {
  const query = clusterOf(workload);
  return queryOptions({
    queryKey: [...workloadKey(workload), 'events', query.cluster],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/events', {
        params: workload,
        query,
        signal,
      }),
  });
}
