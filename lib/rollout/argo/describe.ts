import { formatStableRevision, formatUpdatedRevision } from '@/lib/rollout/argo/revisions';
import { isPastSteps, type ArgoContext } from '@/lib/rollout/argo/context';
import { describeStep } from '@/lib/rollout/argo/step';
import { stallOf } from '@/lib/rollout/argo/waits';
import { type Wait } from '@/lib/api/rollouts';
import { type StepState } from '@/lib/api/rollout-values';
import { type DescribedState, stateWithoutWait } from '@/lib/rollout/described-state';
import { capitalize } from '@/lib/format/text';

/** Describes the state of the Rollout; `step` is the state of the current step, `wait` what it waits for. */
export function describeRollout(
  context: ArgoContext,
  step: StepState | null,
  wait: Wait | null,
): DescribedState {
  const since = sinceOf(context);
  const stall = stallOf(context);
  if (stall === null) return { ...describeStage(context, step, wait), since };
  const waitsFor: Wait = { kind: 'controller', text: 'The controller of Argo Rollouts has to run again.' };
  return { state: 'stalled', message: stall, waitsFor, since };
}

function describeStage(
  context: ArgoContext,
  step: StepState | null,
  wait: Wait | null,
): Omit<DescribedState, 'since'> {
  const { stage, rollout, isUnderWay } = context;
  switch (stage) {
    case 'terminating':
      return stateWithoutWait('terminating', 'Being deleted, and its pods with it.');
    case 'initial':
      return stateWithoutWait('starting', 'The controller has yet to take up this Rollout.');
    case 'behind':
      return stateWithoutWait('starting', 'Changed; the controller has yet to read that.');
    case 'first':
      return stateWithoutWait(
        'progressing',
        'The first revision starts; there is none to release it beside, so no step runs.',
      );
    case 'idle':
      return stateWithoutWait('idle', 'Nothing has been released through this Rollout so far.');
    case 'completed':
      return rollout.phase === 'Healthy' || rollout.message === null
        ? stateWithoutWait('completed', `${capitalize(formatUpdatedRevision(context))} is the stable one.`)
        : stateWithoutWait(
            'completed',
            `${capitalize(formatUpdatedRevision(context))} is the stable one: ${rollout.message}.`,
          );
    case 'aborted':
      if (rollout.statedPhase !== 'Degraded')
        return stateWithoutWait(
          'rollingBack',
          `Being aborted: everything goes back to ${formatStableRevision(context)}.`,
        );
      return stateWithoutWait(
        'failed',
        `Aborted: ${formatStableRevision(context)} serves, and the spec still asks for ${formatUpdatedRevision(context)}.`,
      );
    case 'degraded':
      return stateWithoutWait(
        'failed',
        `Degraded: ${(rollout.message ?? 'Argo Rollouts gives no reason').replace(/\.$/, '')}.${isUnderWay ? ` ${capitalize(formatStableRevision(context))} is the stable one.` : ''}`,
      );
    case 'unknown':
      return stateWithoutWait('unknown', `In the phase ${rollout.phase}, which Shiplog does not know.`);
    case 'releasing':
      return describeRelease(context, step, wait);
    default:
      return stage satisfies never;
  }
}

function describeRelease(
  context: ArgoContext,
  step: StepState | null,
  wait: Wait | null,
): Omit<DescribedState, 'since'> {
  const { rollout, index, total } = context;
  const isBlueGreen = rollout.strategy === 'blueGreen';
  if (rollout.paused)
    return {
      state: 'paused',
      message: `Paused by hand${isBlueGreen || total === 0 ? '' : ` in step ${index} of ${total}`}: nothing goes on until it is resumed.`,
      waitsFor: { kind: 'resume', text: 'Somebody has to resume the Rollout.' },
    };
  if (rollout.promoteFull)
    return stateWithoutWait(
      'completing',
      `Being promoted fully: ${formatUpdatedRevision(context)} gets every pod, without the steps that are left.`,
    );
  if (isBlueGreen) return describeBlueGreen(context, step, wait);
  if (total === 0)
    return stateWithoutWait(
      'progressing',
      `${capitalize(formatUpdatedRevision(context))} takes the place of ${formatStableRevision(context)}.`,
    );
  if (isPastSteps(context))
    return stateWithoutWait(
      'completing',
      `All ${total} steps are done; ${formatUpdatedRevision(context)} gets the rest of the pods.`,
    );
  const plan = rollout.steps[index - 1];
  const does = plan === undefined ? '' : describeStep(plan, rollout.maxWeight);
  return {
    state: step === 'waiting' ? 'waiting' : 'progressing',
    message: `Step ${index} of ${total} ${describeStepState(step) ?? does}.`,
    waitsFor: wait,
  };
}

function describeStepState(step: StepState | null): string | null {
  if (step === 'waiting') return 'waits for promotion';
  return step === 'approved' ? 'is done; the controller continues' : null;
}

function describeBlueGreen(
  context: ArgoContext,
  step: StepState | null,
  wait: Wait | null,
): Omit<DescribedState, 'since'> {
  const updated = capitalize(formatUpdatedRevision(context));
  switch (step) {
    case 'waiting':
      return {
        state: 'waiting',
        message: `${updated} is previewed and waits for promotion.`,
        waitsFor: wait,
      };
    case 'approved':
      return {
        state: 'completing',
        message: `${updated} serves; the pods of ${formatStableRevision(context)} are kept for a while.`,
        waitsFor: wait,
      };
    case 'pausing':
      return {
        state: 'progressing',
        message: `${updated} is previewed and promoted by itself.`,
        waitsFor: wait,
      };
    case 'analysing':
      return { state: 'progressing', message: `${updated} is previewed and being judged.`, waitsFor: wait };
    default:
      return { state: 'progressing', message: `${updated} starts as a preview.`, waitsFor: wait };
  }
}

function sinceOf({ stage, rollout }: ArgoContext): string | null {
  const at = (type: string) => rollout.conditions.find((condition) => condition.type === type) ?? null;
  switch (stage) {
    case 'terminating':
      return rollout.deletedAt;
    case 'initial':
      return rollout.createdAt;
    case 'behind':
      return rollout.specWrittenAt;
    case 'aborted':
      return rollout.abortedAt;
    case 'completed': {
      const completed = at('Completed') ?? at('Healthy');
      return completed?.status === 'True' ? completed.lastTransitionTime : null;
    }
    case 'releasing':
      return rollout.pauses[0]?.since ?? null;
    case 'degraded':
      return at('Progressing')?.lastTransitionTime ?? null;
    default:
      return null;
  }
}

/** What is unusual, in sentences. */
export function notesOf(context: ArgoContext, unassigned: number): string[] {
  const { rollout, stage, isUnderWay } = context;
  const notes: string[] = [];
  if (rollout.reference !== null)
    notes.push(
      `The template is that of ${rollout.reference.kind} ${rollout.reference.name}; a rollback writes it there.`,
    );
  if (rollout.strategy === null) notes.push('The Rollout names no strategy, so it releases nothing.');
  if (stage === 'aborted')
    notes.push(
      'An abort takes back the pods and the traffic, not the spec. Roll back to make the spec agree with what serves, or retry.',
    );
  if (rollout.paused && !isUnderWay)
    notes.push('The Rollout is paused: the next release waits before its first step.');
  if (rollout.restartAt !== null && rollout.restartAt !== rollout.restartedAt)
    notes.push('A restart is under way: pods that are older are made again, whatever step it is at.');
  if (unassigned > 0)
    notes.push(
      'Argo Rollouts does not mark pods with the step that brought them, so that can’t be told of those of several steps.',
    );
  return notes;
}
