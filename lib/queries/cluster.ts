import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { clusterSchema } from '@/lib/api/cluster';

/** The cluster, the viewer and how fresh what is seen is. */
export function clusterQuery() {
  return queryOptions({
    queryKey: ['cluster'],
    queryFn: ({ signal }) => apiFetch('/api/cluster', clusterSchema, { signal }),
  });
}
