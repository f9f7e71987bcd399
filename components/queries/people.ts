import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';

const PEOPLE_STALE_MS = 5 * 60_000;
const PEOPLE_SHOWN = 100;

/** People who have signed in and whose name contains `q`, the ones seen last in front. */
export function peopleQuery(q = '', limit = PEOPLE_SHOWN) {
  return queryOptions({
    queryKey: ['people', q, limit],
    queryFn: ({ signal }) => apiFetch('GET /api/people', { query: { q: q || undefined, limit }, signal }),
    staleTime: PEOPLE_STALE_MS,
  });
}
