import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { type Activity } from '@/lib/api/activity';
import { apiFetch } from '@/lib/api/client';

const INTERVAL_MS = 10_000;
const PAGE = 100;

/** What was done through Shiplog, newest first, page after page. */
export function activityQuery(filters: Partial<Record<'q' | 'state', string>>) {
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
    placeholderData: keepPreviousData,
  });
}
