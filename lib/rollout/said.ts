import { type RolloutState, type Wait } from '@/lib/rollout/rollout';

/** State, sentence and wait of the whole, for people. */
export interface Said {
  state: RolloutState;
  message: string;
  waitsFor: Wait | null;
  since: string | null;
}
