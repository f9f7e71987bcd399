import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterParam, inCluster } from '@/components/queries/cluster';
import { pagedQuery } from '@/components/queries/paged-query';
import { withCluster, type WorkloadRef } from '@/components/queries/workload-ref';
import type { QueryOf } from '@/lib/api/routes';

/** Filters of the list, named as in the API; empty ones are left out. */
type RolloutHistoryFilters = Omit<QueryOf<'GET /api/rollouthistories'>, 'limit' | 'cursor'>;

/** The records that rollout systems store themselves, newest first, page by page. */
export function rolloutHistoriesQuery(filters: RolloutHistoryFilters, limit = 50) {
  return pagedQuery(['rollouthistories', filters, limit], ({ cursor, signal }) =>
    apiFetch('GET /api/rollouthistories', { query: { ...filters, limit, cursor }, signal }),
  );
}

/** Such a record, as in paths. */
export type RolloutHistoryRef = Omit<WorkloadRef, 'resource'>;

/** Start of the query key of everything that a change of this record invalidates. */
function rolloutHistoryKey({ namespace, name, cluster }: RolloutHistoryRef) {
  return ['rollouthistory', namespace, name, clusterParam(cluster)] as const;
}

/** One of these records, with its template. */
export function rolloutHistoryQuery(history: RolloutHistoryRef) {
  return queryOptions({
    queryKey: rolloutHistoryKey(history),
    queryFn: ({ signal }) =>
      apiFetch('GET /api/rollouthistories/{namespace}/{name}', {
        params: history,
        query: inCluster(history),
        signal,
      }),
  });
}

/** Path of a record's page. */
export function rolloutHistoryPagePath({ namespace, name, cluster }: RolloutHistoryRef): string {
  return withCluster(
    `/rollout-histories/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`,
    cluster,
  );
}
