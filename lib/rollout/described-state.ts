import type { RolloutState } from '@/lib/api/rollout-values';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';

/** State, sentence and wait of the rollout, for display. */
export type DescribedState = Pick<ProgressiveRollout, 'state' | 'message' | 'waitsFor' | 'since'>;

export function stateWithoutWait(state: RolloutState, message: string): Omit<DescribedState, 'since'> {
  return { state, message, waitsFor: null };
}
