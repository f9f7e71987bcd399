import { type Rollout } from '@/lib/rollout/rollout';
import { listed } from '@/lib/workloads/words';

/**
 * A rollout whose new pods can't become ready by themselves is stalled: whoever steps it goes on waiting for them, so its
 * own state says nothing. While one other pod may still become ready, it moves.
 */
export function withBlockedPods(rollout: Rollout): Rollout {
  const { state, step, steps, unassignedPods } = rollout;
  if (state !== 'progressing' && state !== 'completing') return rollout;
  const unready = [...steps.flatMap(({ pods }) => pods), ...unassignedPods].filter(({ ready }) => !ready);
  const reasons = unready.flatMap(({ blocked }) => blocked ?? []);
  const [reason] = reasons;
  if (reason === undefined || reasons.length < unready.length) return rollout;
  const isStep = state === 'progressing' && step.index > 0;
  const where = isStep ? `Step ${step.index} of ${step.total}` : 'The release';
  const names = listed(unready.map(({ name }) => name));
  return { ...rollout, state: 'stalled', message: `${where} is stalled: ${names}: ${reason}.` };
}
