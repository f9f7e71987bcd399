import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import { workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** The events of a workload, of its source objects and of its pods. */
export function eventsQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'events'],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/events', {
        params: workload,
        query: inCluster(workload),
        signal,
      }),
  });
}
