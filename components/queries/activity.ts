import { infiniteQueryOptions } from '@tanstack/react-query';
import { apiFetch, apiPath } from '@/components/queries/client';
import { keepPreviousRows } from '@/components/queries/keep-previous-rows';
import { type QueryOf } from '@/lib/api/routes';

/** The stream reports only actions through this instance; other instances may share the archive. */
const INTERVAL_MS = 10_000;
const PAGE = 100;

/** Filters named as in the API; empty ones are left out. */
export type ActivityFilters = Omit<QueryOf<'GET /api/activity'>, 'limit' | 'cursor' | 'all' | 'format'>;

/** Actions through Shiplog, newest first, page by page. */
export function activityQuery(filters: ActivityFilters) {
  return infiniteQueryOptions({
    queryKey: ['activity', filters],
    queryFn: ({ pageParam, signal }) =>
      apiFetch('GET /api/activity', {
        query: { ...filters, limit: PAGE, cursor: pageParam || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
    refetchInterval: INTERVAL_MS,
    placeholderData: keepPreviousRows,
  });
}

export type ActivityEventFilters = Omit<QueryOf<'GET /api/activity/events'>, 'limit' | 'cursor'>;

/** Reviews and sign-ins, newest first, page by page. */
export function activityEventsQuery(filters: ActivityEventFilters) {
  return infiniteQueryOptions({
    queryKey: ['activity', 'events', filters],
    queryFn: ({ pageParam, signal }) =>
      apiFetch('GET /api/activity/events', {
        query: { ...filters, limit: PAGE, cursor: pageParam || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
    refetchInterval: INTERVAL_MS,
    placeholderData: keepPreviousRows,
  });
}

/** Address of all actions that the filters show, as a file. */
export function activityExportPath(filters: ActivityFilters, format: 'csv' | 'json'): string {
  return apiPath('GET /api/activity', { query: { ...filters, format, all: '1' } });
}
