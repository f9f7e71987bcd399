import type { TimelineItem } from '@/lib/api/timeline';

/** The appearance of a rollout: how it ended, or what it does now. The most urgent first. */
export const rolloutAppearances = [
  'stuck',
  'failed',
  'undone',
  'back',
  'held',
  'rolling',
  'completed',
  'unknown',
  'noPods',
  'superseded',
] as const;
export type RolloutAppearance = (typeof rolloutAppearances)[number];

export function appearanceOf({
  outcome,
  spans = [],
}: Pick<TimelineItem, 'outcome'> & Partial<Pick<TimelineItem, 'spans'>>): RolloutAppearance {
  if (outcome !== null) return outcome === 'rolledBack' ? 'back' : outcome;
  const now = spans.find(({ to }) => to === null);
  return now?.hasFailed === true ? 'failed' : (now?.kind ?? 'rolling');
}
