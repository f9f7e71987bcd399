import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { EarlierIncarnation } from '@/lib/api/earlier-incarnation';
import { workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** One incarnation of a workload by its uid, from the archive; for the current one the answer is its detail. */
export function workloadIncarnationQuery(workload: WorkloadRef, uid: string) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'incarnation', uid],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}', {
        params: workload,
        query: { ...inCluster(workload), uid },
        signal,
      }),
  });
}

export function isEarlierIncarnation(
  answer: EarlierIncarnation | WorkloadDetail,
): answer is EarlierIncarnation {
  return 'incarnation' in answer;
}
