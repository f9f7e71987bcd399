import { type Wait } from '@/lib/api/rollouts';
import { type RolloutState } from '@/lib/api/rollout-values';

/** State, sentence and wait of the rollout, for display. */
export interface DescribedState {
  state: RolloutState;
  message: string;
  waitsFor: Wait | null;
  since: string | null;
}

export function stateWithoutWait(state: RolloutState, message: string): Omit<DescribedState, 'since'> {
  return { state, message, waitsFor: null };
}
