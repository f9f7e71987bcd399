import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type WorkloadDetail, type WorkloadItem } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** A record is closed a moment after the last pod is ready, and no change of the cluster tells of it. */
const CLOSING_INTERVAL_MS = 5_000;

/** A workload with its whole history; asked again while its rollout is over and the record of that still open. */
export function workloadDetailQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'detail'],
    queryFn: ({ signal }) => apiFetch<WorkloadDetail>(workloadApiPath(workload), { signal }),
    refetchInterval: ({ state: { data } }) => (isClosing(data?.workload) ? CLOSING_INTERVAL_MS : false),
  });
}

/** Its rollout is over, but its record does not say so yet. */
export function isClosing(workload: Pick<WorkloadItem, 'state' | 'lastRollout'> | undefined): boolean {
  return workload?.state === 'complete' && workload.lastRollout?.record?.outcome === null;
}
