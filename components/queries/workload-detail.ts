import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import type { WorkloadDetail, WorkloadItem } from '@/lib/api/workloads';
import { workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** For what no change of the cluster announces. */
const POLL_INTERVAL_MS = 5_000;

/** A workload with its history; polled while the archive is missing from it, or its last record is about to close. */
export function workloadDetailQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'detail'],
    queryFn: async ({ signal }) => {
      const answer = await apiFetch('GET /api/workloads/{resource}/{namespace}/{name}', {
        params: workload,
        query: inCluster(workload),
        signal,
      });
      // Without a uid the answer is about the current incarnation.
      return answer as WorkloadDetail;
    },
    refetchInterval: ({ state: { data } }) =>
      isRecordClosing(data?.workload) || isWithoutArchive(data) ? POLL_INTERVAL_MS : false,
  });
}

/** Its rollout has ended, but its record is still open: it closes a moment after the last pod is ready. */
export function isRecordClosing(workload: Pick<WorkloadItem, 'state' | 'lastRollout'> | undefined): boolean {
  return workload?.state === 'complete' && workload.lastRollout?.record?.outcome === null;
}

function isWithoutArchive(detail: WorkloadDetail | undefined): boolean {
  return detail?.partial.some(({ resource }) => resource === 'archive') ?? false;
}

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
