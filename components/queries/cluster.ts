import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';

/** The cluster, the viewer and the age of the data on the page. */
export function clusterQuery() {
  return queryOptions({
    queryKey: ['cluster'],
    // Every stream starts with a state, each state invalidates this query, and the page already brings it.
    staleTime: Infinity,
    queryFn: ({ signal }) => apiFetch('GET /api/cluster', { signal }),
  });
}
