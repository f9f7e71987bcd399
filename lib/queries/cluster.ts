import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type ClusterInfo } from '@/lib/api/cluster';

/** The cluster, the viewer and how fresh what is seen is. */
export function clusterQuery() {
  return queryOptions({
    queryKey: ['cluster'],
    queryFn: ({ signal }) => apiFetch<ClusterInfo>('/api/cluster', { signal }),
  });
}
