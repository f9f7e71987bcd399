import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type PastLife, type WorkloadDetail } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** One life of a workload by its uid, from the archive; the answer for the present one is its detail. */
export function workloadLifeQuery(workload: WorkloadRef, uid: string) {
  const query = new URLSearchParams({ uid });
  return queryOptions({
    queryKey: [...workloadKey(workload), 'life', uid],
    queryFn: ({ signal }) =>
      apiFetch<PastLife | WorkloadDetail>(workloadApiPath(workload, `?${query}`), { signal }),
  });
}

export function isPastLife(answer: PastLife | WorkloadDetail): answer is PastLife {
  return 'life' in answer;
}
