import { infiniteQueryOptions, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type StreamKey } from '@/lib/api/cluster';
import { type WorkloadItem, type WorkloadList } from '@/lib/api/workloads';

/** The first page is on screen at once; the others are big, since what they cost is mostly the asking. */
const FIRST_PAGE = 500;
const NEXT_PAGE = 2_500;

/** Above that the whole list is asked for again; below it the address of the question stays short. */
const ROWS_BY_KEY_MAX = 50;

type Pages = InfiniteData<WorkloadList, string>;

export const fleetKey = ['fleet'] as const;

/** Every workload that the viewer may see, page after page. The page filters them itself, without asking again. */
export function fleetQuery() {
  return infiniteQueryOptions({
    queryKey: fleetKey,
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: String(pageParam === '' ? FIRST_PAGE : NEXT_PAGE) });
      if (pageParam !== '') query.set('cursor', pageParam);
      return apiFetch<WorkloadList>(`/api/workloads?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page: WorkloadList) => page.nextCursor,
    // Comparing thousands of rows with those before costs more than drawing the few that are in sight.
    structuralSharing: false,
  });
}

/**
 * Brings the rows of `keys` up to date where the whole list is on screen; any other list is asked for again. Never
 * rejects: what fails is asked for again as a whole, and that shows its own error.
 */
export async function refreshRows(client: QueryClient, keys: readonly StreamKey[]): Promise<void> {
  if (keys.length === 0) return;
  if (keys.length <= ROWS_BY_KEY_MAX && isWhole(client)) {
    const answer = await askForRows(keys);
    if (answer !== null && isWhole(client)) {
      client.setQueryData<Pages>(fleetKey, (pages) => pages && withRows(pages, keys, answer));
      return;
    }
  }
  await client.invalidateQueries({ queryKey: fleetKey }, { cancelRefetch: false });
}

function isWhole(client: QueryClient): boolean {
  const query = client.getQueryCache().find<Pages>({ queryKey: fleetKey });
  if (query === undefined || !query.isActive()) return false;
  const { data, status, fetchStatus, isInvalidated } = query.state;
  if (status !== 'success' || fetchStatus !== 'idle' || isInvalidated) return false;
  return data?.pages.at(-1)?.nextCursor === null;
}

function askForRows(keys: readonly StreamKey[]): Promise<WorkloadList | null> {
  const query = new URLSearchParams({ keys: keys.map(keyOf).join(','), limit: String(keys.length) });
  return apiFetch<WorkloadList>(`/api/workloads?${query}`).catch(() => null);
}

/** The pages with the rows of `keys` as `answer` has them: changed in their place, gone, or new at the end. */
export function withRows(pages: Pages, keys: readonly StreamKey[], answer: WorkloadList): Pages {
  const asked = new Set(keys.map(keyOf));
  const fresh = new Map(answer.items.map((item) => [keyOf(item), item]));
  const changed = pages.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((item) => {
      const key = keyOf(item);
      if (!asked.has(key)) return [item];
      const now = fresh.get(key);
      fresh.delete(key);
      return now === undefined ? [] : [now];
    }),
  }));
  const last = changed.at(-1);
  if (last === undefined) return pages;
  const { namespaces, partial, observedAt, stale } = answer;
  const whole = {
    ...last,
    items: [...last.items, ...fresh.values()],
    namespaces,
    partial,
    observedAt,
    stale,
  };
  return { ...pages, pages: [...changed.slice(0, -1), whole] };
}

function keyOf({ resource, namespace, name }: Pick<WorkloadItem, 'resource' | 'namespace' | 'name'>): string {
  return `${resource}/${namespace}/${name}`;
}
