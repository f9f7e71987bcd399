import { type RolloutStyle } from '@/lib/rollout/rollout';

const words: Readonly<Record<RolloutStyle, string>> = {
  canary: 'canary',
  partition: 'in place, by partition',
  blueGreen: 'blue-green',
  batch: 'in batches',
  unknown: 'style unknown',
};

/** `canary`, `blue-green`. */
export function styleWord(style: RolloutStyle): string {
  return words[style];
}

/** What one of its steps is called. */
export function stepNoun({ style }: { style: RolloutStyle }): 'step' | 'batch' {
  return style === 'batch' ? 'batch' : 'step';
}
