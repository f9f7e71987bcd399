import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { type PodList } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** The pods of a workload, each with its revision. */
export function podsQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'pods'],
    queryFn: ({ signal }) => apiFetch<PodList>(workloadApiPath(workload, '/pods'), { signal }),
  });
}
