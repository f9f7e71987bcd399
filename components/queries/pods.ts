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

interface PodLogs {
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
  return queryOptions({
    queryKey: ['logs', ...workloadKey(workload), pod, container, previous],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/logs', {
        params: { ...workload, pod },
        query: {
          ...inCluster(workload),
          container: container ?? undefined,
          previous: previous ? '1' : undefined,
        },
        signal,
      }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}
