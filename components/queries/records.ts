import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { keepPreviousRows } from '@/components/queries/keep-previous-rows';
import { type ArchiveAnswer, type RecordAnswer, type RecordItem, type RecordList } from '@/lib/api/records';

/** Records are not on the stream, and a rollout takes minutes. */
const LIST_INTERVAL_MS = 30_000;
const OPEN_INTERVAL_MS = 5_000;

export const recordsKey = ['records'] as const;

/** Filters of a list of records, named as in the API; empty ones are left out. */
export type RecordFilters = Partial<
  Record<
    'q' | 'namespace' | 'resource' | 'name' | 'outcome' | 'actor' | 'image' | 'since' | 'until' | 'reviewed',
    string
  >
>;

/** Records newest first, page by page. */
export function recordsQuery(filters: RecordFilters, limit = 50) {
  return infiniteQueryOptions({
    queryKey: [...recordsKey, 'list', filters, limit],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ ...filters, limit: String(limit) });
      if (pageParam !== '') query.set('cursor', pageParam);
      return apiFetch<RecordList>(`/api/records?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page: RecordList) => page.nextCursor,
    staleTime: 0,
    refetchInterval: LIST_INTERVAL_MS,
    placeholderData: keepPreviousRows,
  });
}

export function recordKey(id: string) {
  return [...recordsKey, 'one', id] as const;
}

/** One complete record; polled while its rollout is open. */
export function recordQuery(id: string) {
  return queryOptions({
    queryKey: recordKey(id),
    queryFn: ({ signal }) => apiFetch<RecordAnswer>(recordApiPath(id), { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.outcome === null ? OPEN_INTERVAL_MS : LIST_INTERVAL_MS),
  });
}

/** Size of the archive and its oldest record. */
export function archiveQuery() {
  return queryOptions({
    queryKey: ['archive'],
    queryFn: ({ signal }) => apiFetch<ArchiveAnswer>('/api/archive', { signal }),
  });
}

/** Pins or unpins a record. */
export function sendPin(id: string, pinned: boolean): Promise<RecordItem> {
  return apiFetch<RecordItem>(recordApiPath(id, '/pin'), { method: 'PUT', body: { pinned } });
}

export function recordApiPath(id: string, rest = ''): string {
  return `/api/records/${encodeURIComponent(id)}${rest}`;
}

export function recordPagePath(id: string): string {
  return `/records/${encodeURIComponent(id)}`;
}
