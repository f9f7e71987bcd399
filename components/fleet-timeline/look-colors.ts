import { type RolloutLook } from '@/lib/timeline/fleet-rows';

/** Text colours. */
export const lookText: Record<RolloutLook, string> = {
  stuck: 'text-stuck',
  failed: 'text-stuck',
  back: 'text-back',
  held: 'text-held',
  rolling: 'text-rolling',
  unknown: 'text-unknown',
  completed: 'text-complete',
  superseded: 'text-ink-3',
};

/** Colours of areas. */
export const lookFill: Record<RolloutLook, string> = {
  stuck: 'var(--stuck)',
  failed: 'var(--stuck-fill)',
  back: 'var(--back-fill)',
  held: 'var(--held)',
  rolling: 'var(--accent)',
  unknown: 'var(--unknown)',
  completed: 'var(--complete-fill)',
  superseded: 'var(--control)',
};

/** What nobody watched. */
export const hatch = 'repeating-linear-gradient(45deg, var(--control) 0 1.2px, transparent 1.2px 5px)';
