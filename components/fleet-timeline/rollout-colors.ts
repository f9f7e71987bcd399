import { type RolloutAppearance } from '@/lib/timeline/appearance';

/** Text colors. */
export const textColors: Record<RolloutAppearance, string> = {
  stuck: 'text-stuck',
  failed: 'text-stuck',
  undone: 'text-back',
  back: 'text-back',
  held: 'text-held',
  rolling: 'text-rolling',
  unknown: 'text-unknown',
  completed: 'text-complete',
  superseded: 'text-ink-3',
};

/** Area colors. */
export const fillColors: Record<RolloutAppearance, string> = {
  stuck: 'var(--stuck)',
  failed: 'var(--stuck-fill)',
  undone: 'var(--back-fill)',
  back: 'var(--back-fill)',
  held: 'var(--held)',
  rolling: 'var(--accent)',
  unknown: 'var(--unknown)',
  completed: 'var(--complete-fill)',
  superseded: 'var(--control)',
};

/** Not observed. */
export const unobservedHatch =
  'repeating-linear-gradient(45deg, var(--control) 0 1.2px, transparent 1.2px 5px)';
