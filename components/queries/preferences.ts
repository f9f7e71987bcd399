import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';

/** They may be changed in another browser. */
const STALE_MS = 60_000;

/** What the viewer has set for themselves. */
export function preferencesQuery() {
  return queryOptions({
    queryKey: ['preferences'],
    // The page brings them.
    staleTime: STALE_MS,
    refetchOnWindowFocus: true,
    queryFn: ({ signal }) => apiFetch('GET /api/preferences', { signal }),
  });
}
