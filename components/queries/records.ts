import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { pagedQuery } from '@/components/queries/paged-query';
import type { RecordAnswer, RecordItem } from '@/lib/api/records';
import type { QueryOf } from '@/lib/api/routes';

/** Records are not on the stream, and a rollout takes minutes. */
const LIST_INTERVAL_MS = 30_000;
const OPEN_INTERVAL_MS = 5_000;

export const recordsKey = ['records'] as const;

/** Filters of a list of records, named as in the API; empty ones are left out. */
type RecordFilters = Omit<QueryOf<'GET /api/records'>, 'limit' | 'cursor'>;

/** Records newest first, page by page. */
export function recordsQuery(filters: RecordFilters, limit = 50) {
  return pagedQuery(
    [...recordsKey, 'list', filters, limit],
    ({ cursor, signal }) => apiFetch('GET /api/records', { query: { ...filters, limit, cursor }, signal }),
    LIST_INTERVAL_MS,
  );
}

export function recordKey(id: string) {
  return [...recordsKey, 'one', id] as const;
}

/** One complete record; polled while its rollout is open. */
export function recordQuery(id: string) {
  return queryOptions({
    queryKey: recordKey(id),
    // Without a format the answer is the record.
    queryFn: ({ signal }) =>
      apiFetch('GET /api/records/{id}', { params: { id }, signal }) as Promise<RecordAnswer>,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.outcome === null ? OPEN_INTERVAL_MS : LIST_INTERVAL_MS),
  });
}

/** Size of the archive and its oldest record. */
export function archiveQuery() {
  return queryOptions({
    queryKey: ['archive'],
    queryFn: ({ signal }) => apiFetch('GET /api/archive', { signal }),
  });
}

/** Pins or unpins a record. */
export function sendPin(id: string, pinned: boolean): Promise<RecordItem> {
  return apiFetch('PUT /api/records/{id}/pin', { params: { id }, body: { pinned } });
}

export function recordPagePath(id: string): string {
  return `/records/${encodeURIComponent(id)}`;
}
