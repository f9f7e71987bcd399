import type { RolloutStyle } from '@/lib/api/rollout-values';

const styleTexts: Readonly<Record<RolloutStyle, string>> = {
  canary: 'Canary',
  partition: 'Partition',
  blueGreen: 'Blue-green',
  batch: 'Batches',
  unknown: 'Unknown strategy',
};

/** `Canary`, `Blue-green`. */
export function styleLabel(style: RolloutStyle): string {
  return styleTexts[style];
}

/** The name of one of its steps. */
export function stepNoun({ style }: { style: RolloutStyle }): 'step' | 'batch' {
  return style === 'batch' ? 'batch' : 'step';
}
