import type { RolloutAppearance } from '@/lib/timeline/appearance';

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
  noPods: 'var(--control)',
  superseded: 'var(--control)',
};

/** Not observed. */
export const unobservedHatch =
  'repeating-linear-gradient(45deg, var(--control) 0 1.2px, transparent 1.2px 5px)';
