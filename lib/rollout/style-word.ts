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
