import 'server-only';
import { type RolloutRecord } from '@/lib/api/record';
import { type ProgressiveRollout } from '@/lib/rollout/rollout';

/**
 * The step at which a rollout stopped, from its record, where the system does not store that: an abort may reset the
 * index of the step to the first one. Null where the cluster has it, or the archive does not.
 */
export function stoppedStepOf(
  { steps }: Pick<RolloutRecord, 'steps'>,
  rollout: ProgressiveRollout,
): number | null {
  if (!isStepUnknown(rollout)) return null;
  return steps.findLast(({ state }) => state === 'running' || state === 'abandoned')?.index ?? null;
}

function isStepUnknown({ state, step, steps }: ProgressiveRollout): boolean {
  if (state !== 'failed' && state !== 'rollingBack') return false;
  return step.index === 0 && steps.every((each) => each.state === 'planned');
}

export function stoppedAt(rollout: ProgressiveRollout, stoppedIn: number): ProgressiveRollout {
  return {
    ...rollout,
    steps: rollout.steps.map((step) => {
      if (step.index > stoppedIn) return step;
      return { ...step, state: step.index === stoppedIn ? 'abandoned' : 'done' };
    }),
  };
}
