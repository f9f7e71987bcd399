import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type LogTail } from '@/lib/api/workloads';
import { workloadApiPath, type WorkloadRef } from '@/lib/queries/workload-ref';

export interface PodLogs {
  pod: string;
  /** Null: the first container. */
  container: string | null;
  /** Of the container's previous run. */
  previous: boolean;
}

/**
 * The last lines that a container of a pod wrote. Asked for by hand and kept out of the live key of the workload: lines
 * that somebody reads must not move away under their eyes.
 */
export function podLogsQuery(workload: WorkloadRef, { pod, container, previous }: PodLogs) {
  const query = new URLSearchParams({
    ...(container !== null && { container }),
    ...(previous && { previous: '1' }),
  });
  return queryOptions({
    queryKey: ['logs', workload.resource, workload.namespace, workload.name, pod, container, previous],
    queryFn: ({ signal }) =>
      apiFetch<LogTail>(workloadApiPath(workload, `/pods/${encodeURIComponent(pod)}/logs?${query}`), {
        signal,
      }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}
