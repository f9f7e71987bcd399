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
  'superseded',
] as const;
export type RolloutAppearance = (typeof rolloutAppearances)[number];

export function appearanceOf({
  outcome,
  spans = [],
}: Pick<TimelineItem, 'outcome'> & Partial<Pick<TimelineItem, 'spans'>>): RolloutAppearance {
  switch (outcome) {
    case 'completed':
    case 'superseded':
    case 'failed':
    case 'undone':
    case 'unknown':
      return outcome;
    case 'rolledBack':
      return 'back';
    case null: {
      const now = spans.find(({ to }) => to === null);
      return now?.hasFailed === true ? 'failed' : (now?.kind ?? 'rolling');
    }
    default:
      return outcome satisfies never;
  }
}
