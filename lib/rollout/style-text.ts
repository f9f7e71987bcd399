import { type RolloutStyle } from '@/lib/api/rollout-values';

const styleTexts: Readonly<Record<RolloutStyle, string>> = {
  canary: 'canary',
  partition: 'in place, by partition',
  blueGreen: 'blue-green',
  batch: 'in batches',
  unknown: 'style unknown',
};

/** `canary`, `blue-green`. */
export function styleLabel(style: RolloutStyle): string {
  return styleTexts[style];
}

/** The name of one of its steps. */
export function stepNoun({ style }: { style: RolloutStyle }): 'step' | 'batch' {
  return style === 'batch' ? 'batch' : 'step';
}
