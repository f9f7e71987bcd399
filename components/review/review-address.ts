import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { type RecordItem } from '@/lib/api/records';
import { type RecordFilters } from '@/lib/queries/records';

export const periods = [
  { value: '7d', label: '7 days', title: 'Seven days' },
  { value: '30d', label: '30 days', title: 'Thirty days' },
  { value: '90d', label: '90 days', title: 'Ninety days' },
] as const;

/** The state of the page as its address holds it. */
export const reviewParsers = {
  /** The record under review; the first that waits without it. */
  id: parseAsString,
  namespace: parseAsString,
  only: parseAsStringLiteral(['failed']),
  period: parseAsStringLiteral(['7d', '30d', '90d']).withDefault('7d'),
  by: parseAsStringLiteral(['namespace', 'team']).withDefault('namespace'),
};

/**
 * What the queue asks for; open rollouts too, since one that is held for long is to be talked about, but none that
 * nobody watched: there is nothing to judge.
 */
export function queueFilters({
  namespace,
  only,
}: {
  namespace: string | null;
  only: 'failed' | null;
}): RecordFilters {
  return {
    reviewed: 'false',
    ...(namespace !== null && { namespace }),
    outcome: only === 'failed' ? 'failed,rolledBack' : 'completed,rolledBack,superseded,failed,open',
  };
}

const HELD_MS_MIN = 86_400_000;

/** Whether it waits for a verdict: it has ended, or has been held for a day. */
export function isDue({ outcome, spans }: Pick<RecordItem, 'outcome' | 'spans'>, nowMs: number): boolean {
  if (outcome !== null) return true;
  return spans.some(
    ({ kind, from, to }) => kind === 'held' && to === null && nowMs - Date.parse(from) >= HELD_MS_MIN,
  );
}
