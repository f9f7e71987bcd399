import { apiFetch, apiPath } from '@/components/queries/client';
import { pagedQuery } from '@/components/queries/paged-query';
import type { QueryOf } from '@/lib/api/routes';

/** The stream reports only actions through this instance; other instances may share the archive. */
const INTERVAL_MS = 10_000;
const PAGE = 100;

/** Filters named as in the API; empty ones are left out. */
export type ActivityFilters = Omit<QueryOf<'GET /api/activity'>, 'limit' | 'cursor' | 'all' | 'format'>;

/** Actions through Shiplog, newest first, page by page. */
export function activityQuery(filters: ActivityFilters) {
  return pagedQuery(
    ['activity', filters],
    ({ cursor, signal }) =>
      apiFetch('GET /api/activity', { query: { ...filters, limit: PAGE, cursor }, signal }),
    INTERVAL_MS,
  );
}

export type ActivityEventFilters = Omit<QueryOf<'GET /api/activity/events'>, 'limit' | 'cursor'>;

/** Reviews and sign-ins, newest first, page by page. */
export function activityEventsQuery(filters: ActivityEventFilters) {
  return pagedQuery(
    ['activity', 'events', filters],
    ({ cursor, signal }) =>
      apiFetch('GET /api/activity/events', { query: { ...filters, limit: PAGE, cursor }, signal }),
    INTERVAL_MS,
  );
}

/** Address of all actions that the filters show, as a file. */
export function activityExportPath(filters: ActivityFilters, format: 'csv' | 'json'): string {
  return apiPath('GET /api/activity', { query: { ...filters, format, all: '1' } });
}
