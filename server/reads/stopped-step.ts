import 'server-only';
import { type RolloutRecord } from '@/lib/ledger/record';
import { type Rollout } from '@/lib/rollout/rollout';

/**
 * The step in which a release stopped, as its record has it, where the system keeps nothing of that: an abort may take the
 * index of the step back to the first one. Null where the cluster tells it, or nothing does.
 */
export function stoppedStepOf({ steps }: Pick<RolloutRecord, 'steps'>, rollout: Rollout): number | null {
  if (!isUntold(rollout)) return null;
  return steps.findLast(({ state }) => state === 'running' || state === 'abandoned')?.index ?? null;
}

function isUntold({ state, step, steps }: Rollout): boolean {
  if (state !== 'failed' && state !== 'rollingBack') return false;
  return step.index === 0 && steps.every((each) => each.state === 'planned');
}

export function stoppedAt(rollout: Rollout, stoppedIn: number): Rollout {
  return {
    ...rollout,
    steps: rollout.steps.map((step) => {
      if (step.index > stoppedIn) return step;
      return { ...step, state: step.index === stoppedIn ? 'abandoned' : 'done' };
    }),
  };
}
