import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type EarlierIncarnation } from '@/lib/api/earlier-incarnation';
import { clusterOf, workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** One incarnation of a workload by its uid, from the archive; for the current one the answer is its detail. */
export function workloadIncarnationQuery(workload: WorkloadRef, uid: string) {
  const { cluster } = clusterOf(workload);
  return queryOptions({
    queryKey: [...workloadKey(workload), 'life', uid, cluster],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}', {
        params: workload,
        query: { cluster, uid },
        signal,
      }),
  });
}

export function isEarlierIncarnation(
  answer: EarlierIncarnation | WorkloadDetail,
): answer is EarlierIncarnation {
  return 'life' in answer;
}
