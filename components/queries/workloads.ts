import { infiniteQueryOptions, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterParam } from '@/components/queries/cluster';
import type { StreamKey } from '@/lib/api/cluster';
import type { WorkloadList } from '@/lib/api/workloads';
import { nameKey } from '@/lib/kube/name-key';

/** The first page is small, to be on screen at once; the others are big, because most of their cost is the request. */
const FIRST_PAGE = 500;
const NEXT_PAGE = 2_500;

/** Above this number the list is requested again; below it the URL is short enough. */
const ROWS_BY_KEY_MAX = 50;

type Pages = InfiniteData<WorkloadList, string>;

export const fleetKey = ['fleet'] as const;

/** All workloads that are visible to the viewer, page by page. The page filters them without another request. */
export function fleetQuery() {
  return infiniteQueryOptions({
    queryKey: fleetKey,
    queryFn: ({ pageParam, signal }) => {
      const limit = pageParam === '' ? FIRST_PAGE : NEXT_PAGE;
      return apiFetch('GET /api/workloads', { query: { limit, cursor: pageParam || undefined }, signal });
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
  if (keys.length === 0) return;
  if (keys.length <= ROWS_BY_KEY_MAX && isFullyLoaded(client)) {
    const answer = await fetchRows(keys);
    if (answer !== null && isFullyLoaded(client)) {
      client.setQueryData<Pages>(fleetKey, (pages) => pages && replaceRows(pages, keys, answer));
      return;
    }
  }
  await client.invalidateQueries({ queryKey: fleetKey }, { cancelRefetch: false });
}

function isFullyLoaded(client: QueryClient): boolean {
  const query = client.getQueryCache().find<Pages>({ queryKey: fleetKey });
  if (query === undefined || !query.isActive()) return false;
  const { data, status, fetchStatus, isInvalidated } = query.state;
  if (status !== 'success' || fetchStatus !== 'idle' || isInvalidated) return false;
  return data?.pages.at(-1)?.nextCursor === null;
}

function fetchRows(keys: readonly StreamKey[]): Promise<WorkloadList | null> {
  const clusters = clustersOf(keys);
  const names = new Set(keys.map(nameKey));
  const query = {
    keys: [...names].join(','),
    // A name may be in each of the clusters.
    limit: names.size * Math.max(1, clusters.size),
    ...(clusters.size > 0 && { cluster: [...clusters].join(',') }),
  };
  return apiFetch('GET /api/workloads', { query }).catch(() => null);
}

/** Names of the clusters of the keys; none where there is only one cluster. */
function clustersOf(keys: readonly StreamKey[]): ReadonlySet<string> {
  return new Set(keys.flatMap(({ cluster }) => clusterParam(cluster) ?? []));
}

/** Of a workload among those of all clusters. */
function rowKey(workload: StreamKey): string {
  return `${workload.cluster} ${nameKey(workload)}`;
}

/** The pages with the rows of `keys` from `answer`: changed in place, removed, or new at the end. */
function replaceRows(pages: Pages, keys: readonly StreamKey[], answer: WorkloadList): Pages {
  const requested = new Set(keys.map(rowKey));
  const fresh = new Map(
    answer.items.filter((item) => requested.has(rowKey(item))).map((item) => [rowKey(item), item]),
  );
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
  const { observedAt, stale } = answer;
  const lastPage = {
    ...last,
    items: [...last.items, ...fresh.values()],
    ...wholeOf(last, clustersOf(keys), answer),
    observedAt,
    stale,
  };
  return { ...pages, pages: [...changed.slice(0, -1), lastPage] };
}

/** What an answer about some of the clusters leaves true of the others. */
function wholeOf(
  last: WorkloadList,
  asked: ReadonlySet<string>,
  { namespaces, partial }: WorkloadList,
): Pick<WorkloadList, 'namespaces' | 'partial'> {
  if (asked.size === 0) return { namespaces, partial };
  const others = last.partial.filter(({ cluster }) => cluster !== undefined && !asked.has(cluster));
  return {
    namespaces: [...new Set([...last.namespaces, ...namespaces])].sort(),
    partial: [...others, ...partial],
  };
}
