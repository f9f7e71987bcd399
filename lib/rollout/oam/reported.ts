import { conditionTypeOf } from '@/lib/oam/conditions';
import type { OamContext } from '@/lib/rollout/oam/context';

/** The controller's last message about the current stage, where it failed. */
export function obstacleOf({ rollout }: OamContext): string | null {
  const { status, conditions } = rollout;
  if (status.position === undefined) return null;
  const type = conditionTypeOf(status.position);
  const condition = conditions.find((each) => each.type === type);
  return condition?.status === 'False' ? condition.message : null;
}

/**
 * Why it failed: the condition of the stage that failed has the reason, and conditions of earlier rollouts
 * are never cleared, so the last changed one is used. For a failed batch, its failed check has the reason.
 */
export function failureCauseOf({ conditions }: OamContext['rollout']): string | null {
  const failures = conditions
    .filter(({ status, message, type }) => status === 'False' && message !== null && type !== 'BatchPaused')
    .toSorted((a, b) => Date.parse(b.lastTransitionTime ?? '') - Date.parse(a.lastTransitionTime ?? '') || 0);
  const check = failures.find(({ type }) => type === 'BatchVerifying');
  const cause =
    (failures[0]?.type === 'BatchRolloutFailed' ? (check ?? failures[0]) : failures[0])?.message ?? null;
  return cause === null ? null : cause.trim().replace(/\.$/, '');
}

/** A message of the controller as a sentence. Only a plain word is capitalized: a token would no longer look like one. */
export function toSentence(text: string): string {
  const trimmed = text.trim().replace(/[.:]+$/, '');
  return `${trimmed.replace(/^[a-z](?=[a-z]*(?:[\s,']|$))/, (letter) => letter.toUpperCase())}.`;
}
