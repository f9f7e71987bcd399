import { queryOptions, useQuery } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { noteClusters } from '@/components/queries/cluster-names';
import { type ClusterItem, type ClusterList } from '@/lib/api/cluster';
import { type QueryOf } from '@/lib/api/routes';

/** The clusters, the viewer and the age of the data on the page. */
export function clustersQuery() {
  return queryOptions({
    queryKey: ['clusters'],
    // Every stream starts with a state, each state invalidates this query, and the page already brings it.
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const list = await apiFetch('GET /api/clusters', { signal });
      noteClusters(list.items);
      return list;
    },
  });
}

export interface Clusters {
  /** Undefined until they are known. */
  list: ClusterList | undefined;
  items: readonly ClusterItem[];
  /** Then pages name the cluster of everything. */
  isSeveral: boolean;
  /** By id or name. */
  find: (cluster: string | undefined) => ClusterItem | undefined;
}

export function useClusters(): Clusters {
  // The shell of every page loads them.
  return clustersOf(useQuery({ ...clustersQuery(), enabled: false }).data);
}

/** The cluster with an id or a name; without one the only cluster. */
export function useClusterOf(cluster: string | undefined): ClusterItem | undefined {
  return useClusters().find(cluster);
}

/** The clusters that a list is about; names and stages, comma separated. Without either: all. */
export type ClusterFilter = QueryOf<'GET /api/review/follow-ups'>;

/** Whether a list with the filter is about the cluster. */
export function isChosen(
  { id, name, stage: own }: Pick<ClusterItem, 'id' | 'name' | 'stage'>,
  { cluster, stage }: ClusterFilter,
): boolean {
  const clusters = cluster?.split(',');
  return (
    (clusters === undefined || clusters.includes(name) || clusters.includes(id)) &&
    (stage === undefined || (own !== null && stage.split(',').includes(own)))
  );
}

const none: readonly never[] = [];

export function clustersOf(list: ClusterList | undefined): Clusters {
  const items = list?.items ?? none;
  const isSeveral = items.length > 1;
  return {
    list,
    items,
    isSeveral,
    find: (cluster) =>
      cluster === undefined
        ? items.length === 1
          ? items[0]
          : undefined
        : items.find(({ id, name }) => id === cluster || name === cluster),
  };
}
