import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type Timeline } from '@/lib/api/timeline';

/** A rollout is recorded a moment after the change that the stream tells of. */
const LIVE_INTERVAL_MS = 5_000;
const PAST_INTERVAL_MS = 60_000;
const DENSITY_INTERVAL_MS = 30_000;

/** Filters of the timeline, named as in the API; empty ones are left out. */
export type TimelineFilters = Partial<
  Record<'q' | 'namespace' | 'resource' | 'outcome' | 'actor' | 'labelSelector', string>
>;

/** Times as the API takes them; without an end up to now. */
export interface TimelinePeriod {
  from?: string;
  to?: string;
}

/** What went on within a period; asked again on each change in the cluster. */
export function timelineQuery(period: TimelinePeriod, filters: TimelineFilters) {
  return queryOptions({
    // A change of any workload makes everything under this name stale.
    queryKey: ['workloads', 'timeline', period, filters],
    queryFn: ({ signal }) =>
      apiFetch<Timeline>(`/api/timeline?${new URLSearchParams({ ...period, ...filters })}`, { signal }),
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
    queryFn: ({ signal }) => apiFetch<Timeline>(`/api/timeline?${new URLSearchParams(query)}`, { signal }),
    staleTime: 0,
    refetchInterval: DENSITY_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}
