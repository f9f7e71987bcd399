import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import { workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** Samples are taken every few seconds during a rollout; the drawing need not follow each. */
const OPEN_INTERVAL_MS = 10_000;

/**
 * Pods by revision over the recorded rollouts; `uid` for an incarnation that is over. Polled while a rollout is in
 * progress.
 */
export function podTrackQuery(workload: WorkloadRef, uid: string | null, isOpen: boolean) {
  return queryOptions({
    // Outside the workload's own key: otherwise every change of a pod would refetch all of it.
    queryKey: ['track', ...workloadKey(workload), uid],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/track', {
        params: workload,
        query: { ...inCluster(workload), uid: uid ?? undefined },
        signal,
      }),
    retry: false,
    staleTime: OPEN_INTERVAL_MS,
    refetchInterval: isOpen ? OPEN_INTERVAL_MS : false,
  });
}
