import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import type { QueryOf } from '@/lib/api/routes';

/** A rollout is recorded a moment after the stream reports the change. */
const LIVE_INTERVAL_MS = 5_000;
const PAST_INTERVAL_MS = 60_000;
const DENSITY_INTERVAL_MS = 30_000;

/** Filters of the timeline, named as in the API; empty ones are left out. */
export type TimelineFilters = Pick<
  QueryOf<'GET /api/timeline'>,
  'cluster' | 'stage' | 'q' | 'namespace' | 'resource' | 'outcome' | 'actor' | 'labelSelector'
>;

/** Times as the API expects them; without an end up to now. */
export type TimelinePeriod = Pick<QueryOf<'GET /api/timeline'>, 'from' | 'to'>;

/** The rollouts of a period; refetched on each change in the cluster. */
export function timelineQuery(period: TimelinePeriod, filters: TimelineFilters) {
  return queryOptions({
    // A change of any workload invalidates every key that starts with this.
    queryKey: ['workloads', 'timeline', period, filters],
    queryFn: ({ signal }) => apiFetch('GET /api/timeline', { query: { ...period, ...filters }, signal }),
    staleTime: 0,
    refetchInterval: period.to === undefined ? LIVE_INTERVAL_MS : PAST_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}

/** How many rollouts began in each part of a period. */
export function densityQuery(period: TimelinePeriod, filters: TimelineFilters, parts: number) {
  const query = { ...period, ...filters, parts: String(parts), limit: '0' };
  return queryOptions({
    queryKey: ['timeline-density', query],
    queryFn: ({ signal }) => apiFetch('GET /api/timeline', { query, signal }),
    staleTime: 0,
    refetchInterval: DENSITY_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}
