import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { keepPreviousRows } from '@/components/queries/keep-previous-rows';
import { type RolloutDetail, type RolloutList } from '@/lib/api/rollouts';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/** A rollout as in paths. */
export type RolloutRef = WorkloadRef;

/** Filters of the list, named as in the API; empty ones are left out. */
export type RolloutFilters = Partial<Record<'namespace' | 'system' | 'state', string>>;

/** Start of the key of every list of rollouts. */
export const rolloutsKey = ['rollouts'] as const;

/** Rollouts in a stable order, page by page. */
export function rolloutsQuery(filters: RolloutFilters, limit = 100) {
  return infiniteQueryOptions({
    queryKey: [...rolloutsKey, filters, limit],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ ...filters, limit: String(limit) });
      if (pageParam !== '') query.set('cursor', pageParam);
      return apiFetch<RolloutList>(`/api/rollouts?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page: RolloutList) => page.nextCursor,
    placeholderData: keepPreviousRows,
  });
}

/** Start of the query key of everything that a change of this rollout invalidates. */
export function rolloutKey({ resource, namespace, name }: RolloutRef) {
  return ['rollout', resource, namespace, name] as const;
}

/** One rollout with its pods. */
export function rolloutQuery(rollout: RolloutRef) {
  return queryOptions({
    queryKey: [...rolloutKey(rollout), 'detail'],
    queryFn: ({ signal }) => apiFetch<RolloutDetail>(rolloutApiPath(rollout), { signal }),
  });
}

/** Path of a rollout in Shiplog's own API; `rest` is appended as given, starting with a slash. */
export function rolloutApiPath({ resource, namespace, name }: RolloutRef, rest = ''): string {
  return `/api/rollouts/${[resource, namespace, name].map(encodeURIComponent).join('/')}${rest}`;
}

/** Path of a rollout's page; `rest` is appended as given. */
export function rolloutPagePath({ resource, namespace, name }: RolloutRef, rest = ''): string {
  return `/rollouts/${[resource, namespace, name].map(encodeURIComponent).join('/')}${rest}`;
}
