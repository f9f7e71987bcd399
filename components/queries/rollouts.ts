import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { pagedQuery } from '@/components/queries/paged-query';
import type { QueryOf } from '@/lib/api/routes';
import { clusterParam, inCluster } from '@/components/queries/cluster';
import { objectPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

/** A rollout as in paths. */
export type RolloutRef = WorkloadRef;

/** Filters of the list, named as in the API; empty ones are left out. */
export type RolloutFilters = Pick<
  QueryOf<'GET /api/rollouts'>,
  'cluster' | 'stage' | 'namespace' | 'system' | 'state'
>;

/** Start of the key of every list of rollouts. */
export const rolloutsKey = ['rollouts'] as const;

/** Rollouts in a stable order, page by page. */
export function rolloutsQuery(filters: RolloutFilters, limit = 100) {
  return pagedQuery([...rolloutsKey, filters, limit], ({ cursor, signal }) =>
    apiFetch('GET /api/rollouts', { query: { ...filters, limit, cursor }, signal }),
  );
}

/** Workloads with a rollout in progress that is not a progressive one, page by page. */
export function plainRolloutsQuery(
  filters: Pick<QueryOf<'GET /api/workloads'>, 'cluster' | 'stage' | 'namespace'>,
  limit = 200,
) {
  return pagedQuery([...rolloutsKey, 'plain', filters, limit], ({ cursor, signal }) =>
    apiFetch('GET /api/workloads', { query: { ...filters, plainRollout: '1', limit, cursor }, signal }),
  );
}

/** Start of the query key of everything that a change of this rollout invalidates. */
export function rolloutKey({ resource, namespace, name, cluster }: RolloutRef) {
  return ['rollout', resource, namespace, name, clusterParam(cluster)] as const;
}

/** One rollout with its pods. */
export function rolloutQuery(rollout: RolloutRef) {
  return queryOptions({
    queryKey: [...rolloutKey(rollout), 'detail'],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/rollouts/{resource}/{namespace}/{name}', {
        params: rollout,
        query: inCluster(rollout),
        signal,
      }),
  });
}

/** Path of a rollout's page; `rest` is appended as given. */
export function rolloutPagePath(rollout: RolloutRef, rest = ''): string {
  return objectPagePath('/rollouts', rollout, rest);
}

/** The changes of a rollout whose source and target are not revisions of one workload. */
export function rolloutDiffQuery(rollout: RolloutRef) {
  return queryOptions({
    queryKey: [...rolloutKey(rollout), 'diff'],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/rollouts/{resource}/{namespace}/{name}/diff', {
        params: rollout,
        query: inCluster(rollout),
        signal,
      }),
  });
}
