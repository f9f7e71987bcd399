import { infiniteQueryOptions } from '@tanstack/react-query';
import { type Activity } from '@/lib/api/activity';
import { apiFetch } from '@/components/queries/client';
import { keepPreviousRows } from '@/components/queries/keep-previous-rows';

/** The stream reports only actions through this instance; other instances may share the archive. */
const INTERVAL_MS = 10_000;
const PAGE = 100;

/** Filters named as in the API; empty ones are left out. */
export type ActivityFilters = Partial<
  Record<'q' | 'namespace' | 'resource' | 'name' | 'actor' | 'action' | 'state' | 'since' | 'until', string>
>;

/** Actions through Shiplog, newest first, page by page. */
export function activityQuery(filters: ActivityFilters) {
  return infiniteQueryOptions({
    queryKey: ['activity', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ ...filters, limit: String(PAGE) });
      if (pageParam !== '') query.set('cursor', pageParam);
      return apiFetch<Activity>(`/api/activity?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page: Activity) => page.nextCursor,
    staleTime: 0,
    refetchInterval: INTERVAL_MS,
    placeholderData: keepPreviousRows,
  });
}
