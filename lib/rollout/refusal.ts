import type { RolloutAction } from '@/lib/api/rollouts';

/** Why an action is not possible, and where another one does the same; null: it is possible. */
export type Refusal = string | { reason: string; instead: 'workload' } | null;

/** A refusal for display at the action. */
export function refusalFields(refusal: Refusal): Pick<RolloutAction, 'allowed' | 'reason' | 'instead'> {
  if (refusal === null) return { allowed: true, reason: null };
  if (typeof refusal === 'string') return { allowed: false, reason: refusal };
  return { allowed: false, ...refusal };
}
