import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type PodList } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** The pods of a workload, with the revision that each runs. */
export function podsQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'pods'],
    queryFn: ({ signal }) => apiFetch<PodList>(workloadApiPath(workload, '/pods'), { signal }),
  });
}
