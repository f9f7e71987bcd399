import { queryOptions, useQuery } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterParam, useClusters } from '@/components/queries/cluster';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import type { WorkloadItem } from '@/lib/api/workloads';
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

/** The workload in each of several clusters that has it; none while that is not known. */
export function useSameWorkload(workload: WorkloadRef | undefined): readonly WorkloadItem[] {
  const { isSeveral } = useClusters();
  const isAsked = isSeveral && workload !== undefined;
  return useQuery({ ...sameWorkloadQuery(workload ?? none), enabled: isAsked }).data ?? noItems;
}

/** The same without the cluster that the reference names. */
export function useOtherClusters(workload: WorkloadRef): readonly WorkloadItem[] {
  const own = clusterParam(workload.cluster);
  return useSameWorkload(workload).filter(({ cluster }) => clusterParam(cluster) !== own);
}

const none: WorkloadRef = { cluster: undefined, resource: '', namespace: '', name: '' };
const noItems: readonly never[] = [];
