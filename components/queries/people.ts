import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';

const PEOPLE_STALE_MS = 5 * 60_000;
const PEOPLE_SHOWN = 100;

/** People who have signed in, the ones seen last in front. */
export function peopleQuery() {
  return queryOptions({
    queryKey: ['people'],
    queryFn: ({ signal }) => apiFetch('GET /api/people', { query: { limit: PEOPLE_SHOWN }, signal }),
    staleTime: PEOPLE_STALE_MS,
  });
}
