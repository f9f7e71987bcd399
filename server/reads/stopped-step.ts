import 'server-only';
import { type RolloutMark } from '@/lib/api/workloads';
import { type RolloutRecord } from '@/lib/ledger/record';
import { type Rollout } from '@/lib/rollout/rollout';
import { archivePart } from '@/server/reads/archive-part';
import { type ReadContext } from '@/server/reads/context';
import { type RolloutView } from '@/server/reads/rollout-view';

/**
 * The rollout with the step in which its release stopped, as its record has it, where the system keeps nothing of that: an
 * abort may take the index of the step back to the first one.
 */
export async function withStoppedStep(
  context: ReadContext,
  view: RolloutView,
  mark: Pick<RolloutMark, 'id'> | null,
): Promise<RolloutView> {
  if (mark === null || !isUntold(view.rollout)) return view;
  const { answer } = await archivePart(context, null, (archive) => archive.recordById(mark.id));
  const stoppedIn = answer === null ? null : stoppedStepOf(answer.record, view.rollout);
  return stoppedIn === null ? view : { ...view, rollout: stoppedAt(view.rollout, stoppedIn) };
}

function isUntold({ state, step, steps }: Rollout): boolean {
  if (state !== 'failed' && state !== 'rollingBack') return false;
  return step.index === 0 && steps.every((each) => each.state === 'planned');
}

function stoppedStepOf({ release, steps }: RolloutRecord, rollout: Rollout): number | null {
  if (release?.uid !== rollout.uid || release.id !== rollout.release.id) return null;
  return steps.findLast(({ state }) => state === 'running' || state === 'abandoned')?.index ?? null;
}

function stoppedAt(rollout: Rollout, stoppedIn: number): Rollout {
  return {
    ...rollout,
    steps: rollout.steps.map((step) => {
      if (step.index > stoppedIn) return step;
      return { ...step, state: step.index === stoppedIn ? 'abandoned' : 'done' };
    }),
  };
}
