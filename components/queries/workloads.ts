import { hashKey, infiniteQueryOptions, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterParam } from '@/components/queries/cluster-names';
import { type ClusterFilter, clustersOf, clustersQuery, isChosen } from '@/components/queries/clusters';
import { type StreamKey } from '@/lib/api/cluster';
import { type WorkloadList } from '@/lib/api/workloads';
import { nameKey } from '@/lib/kube/name-key';

/** The first page is small, to be on screen at once; the others are big, because most of their cost is the request. */
const FIRST_PAGE = 500;
const NEXT_PAGE = 2_500;

/** Above this number the list is requested again; below it the URL is short enough. */
const ROWS_BY_KEY_MAX = 50;

type Pages = InfiniteData<WorkloadList, string>;

export const fleetKey = ['fleet'] as const;

/** All workloads of the clusters that are visible to the viewer, page by page. */
export function fleetQuery(clusters: ClusterFilter) {
  return infiniteQueryOptions({
    queryKey: [...fleetKey, clusters],
    queryFn: ({ pageParam, signal }) => {
      const limit = pageParam === '' ? FIRST_PAGE : NEXT_PAGE;
      return apiFetch('GET /api/workloads', {
        query: { ...clusters, limit, cursor: pageParam || undefined },
        signal,
      });
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    // Comparing thousands of rows with the previous ones costs more than drawing the few visible ones.
    structuralSharing: false,
  });
}

/**
 * Refreshes the rows of `keys` where the complete list is cached; any other list is refetched. Never rejects: after a
 * failure the list is refetched and shows its own error.
 */
export async function refreshRows(client: QueryClient, keys: readonly StreamKey[]): Promise<void> {
  const queryKey = loadedFleet(client);
  const wanted = queryKey === null ? keys : keysWithin(client, queryKey[1], keys);
  if (wanted.length === 0) return;
  if (queryKey !== null && wanted.length <= ROWS_BY_KEY_MAX) {
    const answer = await fetchRows(wanted);
    if (answer !== null && hashKey(loadedFleet(client) ?? []) === hashKey(queryKey)) {
      client.setQueryData<Pages>(queryKey, (pages) => pages && replaceRows(pages, wanted, answer));
      return;
    }
  }
  await client.invalidateQueries({ queryKey: fleetKey }, { cancelRefetch: false });
}

type FleetKey = readonly [...typeof fleetKey, ClusterFilter];

/** The key of the list on the page where that is complete. */
function loadedFleet(client: QueryClient): FleetKey | null {
  const [query, ...others] = client.getQueryCache().findAll({ queryKey: fleetKey, type: 'active' });
  if (query === undefined || others.length > 0) return null;
  const { data, status, fetchStatus, isInvalidated } = query.state;
  if (status !== 'success' || fetchStatus !== 'idle' || isInvalidated) return null;
  return (data as Pages).pages.at(-1)?.nextCursor === null ? (query.queryKey as unknown as FleetKey) : null;
}

/** The keys of the clusters that the list is about. */
function keysWithin(
  client: QueryClient,
  filter: ClusterFilter,
  keys: readonly StreamKey[],
): readonly StreamKey[] {
  const { find } = clustersOf(client.getQueryData(clustersQuery().queryKey));
  return keys.filter(({ cluster }) => {
    const item = find(cluster);
    return item === undefined || isChosen(item, filter);
  });
}

function fetchRows(keys: readonly StreamKey[]): Promise<WorkloadList | null> {
  const query = {
    keys: keys.map(nameKey).join(','),
    cluster: clusterNames(keys).join(',') || undefined,
    // Clusters may have objects of the same name.
    limit: keys.length * Math.max(1, clusterNames(keys).length),
  };
  return apiFetch('GET /api/workloads', { query }).catch(() => null);
}

/** Names of the clusters of the keys; none where there is only one cluster. */
function clusterNames(keys: readonly StreamKey[]): readonly string[] {
  return [...new Set(keys.map(({ cluster }) => clusterParam(cluster) ?? []).flat())];
}

/** The pages with the rows of `keys` from `answer`: changed in place, removed, or new at the end. */
function replaceRows(pages: Pages, keys: readonly StreamKey[], answer: WorkloadList): Pages {
  const asked = clusterNames(keys);
  const requested = new Set(keys.map(rowKey));
  const fresh = new Map(answer.items.map((item) => [rowKey(item), item]));
  const changed = pages.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((item) => {
      const key = rowKey(item);
      if (!requested.has(key)) return [item];
      const current = fresh.get(key);
      fresh.delete(key);
      return current === undefined ? [] : [current];
    }),
  }));
  const last = changed.at(-1);
  if (last === undefined) return pages;
  const { namespaces, partial, observedAt, stale } = answer;
  const added = [...fresh].flatMap(([key, item]) => (requested.has(key) ? [item] : []));
  const lastPage = {
    ...last,
    items: [...last.items, ...added],
    // Of several clusters only some were asked.
    namespaces: asked.length === 0 ? namespaces : [...new Set([...last.namespaces, ...namespaces])].sort(),
    partial: [
      ...last.partial.filter(({ cluster }) => cluster !== undefined && !asked.includes(cluster)),
      ...partial,
    ],
    observedAt,
    stale,
  };
  return { ...pages, pages: [...changed.slice(0, -1), lastPage] };
}

function rowKey(key: StreamKey): string {
  return `${key.cluster}/${nameKey(key)}`;
}
