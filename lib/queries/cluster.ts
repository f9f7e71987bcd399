import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type ClusterInfo } from '@/lib/api/cluster';

/** The cluster, the viewer and how fresh what is seen is. */
export function clusterQuery() {
  return queryOptions({
    queryKey: ['cluster'],
    // Every stream begins with a state, and each state makes it stale; a page comes with it.
    staleTime: Infinity,
    queryFn: ({ signal }) => apiFetch<ClusterInfo>('/api/cluster', { signal }),
  });
}
