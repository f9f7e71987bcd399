import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import { workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** The object that holds a revision, by its name, as text. */
export function manifestQuery(workload: WorkloadRef, name: string) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'manifest', name],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/revisions/{revision}/manifest', {
        params: { ...workload, revision: name },
        query: inCluster(workload),
        signal,
      }),
  });
}
