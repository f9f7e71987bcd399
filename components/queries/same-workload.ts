import { queryOptions, useQuery } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterParam, useClusters } from '@/components/queries/cluster';
import { type WorkloadRef } from '@/components/queries/workload-ref';
import { type WorkloadItem } from '@/lib/api/workloads';
import { nameKey } from '@/lib/kube/name-key';

/** The workload in every cluster that has it, in their order. */
function sameWorkloadQuery({ resource, namespace, name }: WorkloadRef) {
  return queryOptions({
    // A change of the workload in any cluster invalidates it.
    queryKey: ['workload', resource, namespace, name, 'everywhere'],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads', { query: { keys: nameKey({ resource, namespace, name }) }, signal }),
    select: ({ items }) => items,
  });
}

/** The workload in the other clusters; none where there is only one. */
export function useOtherClusters(workload: WorkloadRef): readonly WorkloadItem[] {
  const { isSeveral } = useClusters();
  const { data } = useQuery({ ...sameWorkloadQuery(workload), enabled: isSeveral });
  const own = clusterParam(workload.cluster);
  return data?.filter(({ cluster }) => clusterParam(cluster) !== own) ?? [];
}
