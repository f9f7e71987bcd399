import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type PodTrack } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** Samples come every few seconds while a rollout goes on; the drawing need not follow each. */
const OPEN_INTERVAL_MS = 10_000;

/** Pods by revision over the recorded rollouts; `uid` for a life that is over. Asked again while one is open. */
export function podTrackQuery(workload: WorkloadRef, uid: string | null, isOpen: boolean) {
  const query = uid === null ? '' : `?${new URLSearchParams({ uid })}`;
  return queryOptions({
    // Outside the workload's own key: every change of a pod would ask for the whole of it anew.
    queryKey: ['track', ...workloadKey(workload), uid],
    queryFn: ({ signal }) => apiFetch<PodTrack>(workloadApiPath(workload, `/track${query}`), { signal }),
    retry: false,
    staleTime: OPEN_INTERVAL_MS,
    refetchInterval: isOpen ? OPEN_INTERVAL_MS : false,
  });
}
