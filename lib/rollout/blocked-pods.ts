import { type Rollout } from '@/lib/rollout/rollout';
import { type RolloutInput } from '@/lib/rollout/system';
import { listed } from '@/lib/workloads/words';

/**
 * A rollout whose new pods can't become ready by themselves is stalled: whoever steps it goes on waiting for them, so its
 * own state says nothing. While one other pod may still become ready, it moves. What blocks the pods of a release that the
 * workload has left already is no trouble of the one that follows.
 */
export function withBlockedPods(rollout: Rollout, workload: RolloutInput['workload']): Rollout {
  const { state, step, steps, unassignedPods } = rollout;
  if ((state !== 'progressing' && state !== 'completing') || isLeft(rollout, workload)) return rollout;
  const unready = [...steps.flatMap(({ pods }) => pods), ...unassignedPods].filter(({ ready }) => !ready);
  const reasons = unready.flatMap(({ blocked }) => blocked ?? []);
  const [reason] = reasons;
  if (reason === undefined || reasons.length < unready.length) return rollout;
  const isStep = state === 'progressing' && step.index > 0;
  const where = isStep ? `Step ${step.index} of ${step.total}` : 'The release';
  const names = listed(unready.map(({ name }) => name));
  return { ...rollout, state: 'stalled', message: `${where} is stalled: ${names}: ${reason}.` };
}

/** Whether the workload asks for another template by now, which its system has yet to take up. */
function isLeft({ revisions: { updated } }: Rollout, workload: RolloutInput['workload']): boolean {
  if (workload.state !== 'found' || updated === null || updated.pending) return false;
  const { target } = workload.facts.history;
  return target === null || (updated.id !== null && updated.id !== target.id);
}
