import { type RolloutAction } from '@/lib/rollout/rollout';

/** Why an action can't be done, and where another one does the same; null: nothing stands against it. */
export type Refusal = string | { reason: string; instead: 'workload' } | null;

/** A refusal as the action tells it. */
export function tellRefusal(refusal: Refusal): Pick<RolloutAction, 'allowed' | 'reason' | 'instead'> {
  if (refusal === null) return { allowed: true, reason: null };
  if (typeof refusal === 'string') return { allowed: false, reason: refusal };
  return { allowed: false, ...refusal };
}
