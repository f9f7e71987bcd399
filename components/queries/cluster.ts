import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { type ClusterInfo } from '@/lib/api/cluster';

/** The cluster, the viewer and the age of the data on the page. */
export function clusterQuery() {
  return queryOptions({
    queryKey: ['cluster'],
    // Every stream starts with a state, each state invalidates this query, and the page already brings it.
    staleTime: Infinity,
    queryFn: ({ signal }) => apiFetch<ClusterInfo>('/api/cluster', { signal }),
  });
}
