import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterOf, workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

export interface PodLogs {
  pod: string;
  /** Null: the first container. */
  container: string | null;
  /** Of the container's previous run. */
  previous: boolean;
}

/**
 * The last lines that a container of a pod wrote. Requested on demand and not under the live key of the workload:
 * lines must not move while the viewer reads them.
 */
export function podLogsQuery(workload: WorkloadRef, { pod, container, previous }: PodLogs) {
  const { cluster } = clusterOf(workload);
  return queryOptions({
    queryKey: ['logs', ...workloadKey(workload), pod, container, previous, cluster],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/logs', {
        params: { ...workload, pod },
        query: { cluster, container: container ?? undefined, previous: previous ? '1' : undefined },
        signal,
      }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}
