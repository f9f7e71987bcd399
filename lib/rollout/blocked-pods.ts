import { hasEnded } from '@/lib/history/assemble';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutInput } from '@/lib/rollout/system';
import { formatList } from '@/lib/format/text';

/**
 * A rollout whose new pods can't become ready by themselves is stalled: its controller waits for them
 * indefinitely, so its own state does not show it. While one other pod may still become ready, it is in
 * progress. Blocked pods of a rollout that the workload has already abandoned do not stall the next one.
 */
export function withBlockedPods(
  rollout: ProgressiveRollout,
  workload: RolloutInput['workload'],
): ProgressiveRollout {
  const { state, step, steps, unassignedPods } = rollout;
  if ((state !== 'progressing' && state !== 'completing') || isLeft(rollout, workload)) return rollout;
  const unready = [...steps.flatMap(({ pods }) => pods), ...unassignedPods].filter(
    (pod) => !pod.ready && !hasEnded(pod),
  );
  const reasons = unready.flatMap(({ blocked }) => blocked ?? []);
  const [reason] = reasons;
  if (reason === undefined || reasons.length < unready.length) return rollout;
  const isStep = state === 'progressing' && step.index > 0;
  const withoutPods = `${isStep ? `Step ${step.index} of ${step.total}` : 'The rollout'} is stalled`;
  const names = formatList(unready.map(({ name }) => name));
  const message = `${withoutPods}: ${names}: ${reason}.`;
  return { ...rollout, state: 'stalled', message, messageWithoutPods: `${withoutPods}.` };
}

/** Whether the workload desires another template by now, which its system has not processed yet. */
function isLeft({ revisions: { updated } }: ProgressiveRollout, workload: RolloutInput['workload']): boolean {
  if (workload.state !== 'found' || updated === null || updated.pending) return false;
  const { target } = workload.facts.history;
  return target === null || (updated.id !== null && updated.id !== target.id);
}
