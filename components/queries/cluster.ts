import { queryOptions, useQuery } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import type { ClusterItem, ClusterList } from '@/lib/api/cluster';

/** The clusters, the viewer in each and the age of what is known of it. */
export function clustersQuery() {
  return queryOptions({
    queryKey: ['clusters'],
    // Every stream starts with a state, each state invalidates this query, and the page already brings it.
    staleTime: Infinity,
    queryFn: async ({ signal }) => rememberClusters(await apiFetch('GET /api/clusters', { signal })),
  });
}

/** What addresses and keys are made of, outside of components too. */
let known: readonly Pick<ClusterItem, 'id' | 'name'>[] = [];

/** Returns the list. */
export function rememberClusters(list: ClusterList): ClusterList {
  known = list.items;
  return list;
}

/**
 * How addresses name a cluster, which is given by its id or its name. Undefined where there is one only: then no address
 * names it.
 */
export function clusterParam(cluster: string | undefined): string | undefined {
  if (cluster === undefined || known.length < 2) return undefined;
  return known.find(({ id, name }) => id === cluster || name === cluster)?.name ?? cluster;
}

/** " in prod-eu": what a title adds where there are several clusters. */
export function placeIn(cluster: string | undefined): string {
  const name = clusterParam(cluster);
  return name === undefined ? '' : ` in ${name}`;
}

/** `?cluster=` in the query of the API and in the address of a page. */
export function inCluster({ cluster }: { cluster: string | undefined }): { cluster?: string } {
  const name = clusterParam(cluster);
  return name === undefined ? {} : { cluster: name };
}

/** The clusters that lists are about, named as in the API; empty: all. */
export interface ClusterFilter {
  /** Names, comma separated. */
  cluster?: string;
  stage?: string;
}

/** Those that a filter chooses; a name that no cluster has chooses none. */
export function clustersIn(
  clusters: readonly ClusterItem[],
  { cluster, stage }: ClusterFilter,
): readonly ClusterItem[] {
  const names = cluster?.split(',');
  const stages = stage?.split(',');
  return clusters
    .filter(({ id, name }) => names === undefined || names.includes(name) || names.includes(id))
    .filter((each) => stages === undefined || (each.stage !== null && stages.includes(each.stage)));
}

export interface KnownClusterList {
  /** Undefined while they are unknown. */
  list: ClusterList | undefined;
  /** Then every row names its cluster. */
  isSeveral: boolean;
  /** By its id or name; the only one where there is no other. */
  find: (cluster?: string) => ClusterItem | undefined;
  /** Whether it is read: a record may be of a cluster that no longer is. */
  isConnected: (id: string) => boolean;
}

/** The shell of every page loads them. */
export function useClusters(): KnownClusterList {
  const list = useQuery({ ...clustersQuery(), enabled: false }).data;
  const items = list?.items ?? [];
  return {
    list,
    isSeveral: items.length > 1,
    find: (cluster) =>
      items.length === 1 ? items[0] : items.find(({ id, name }) => id === cluster || name === cluster),
    isConnected: (cluster) => list === undefined || items.some(({ id }) => id === cluster),
  };
}
