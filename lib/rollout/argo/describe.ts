import { formatStableRevision, formatUpdatedRevision } from '@/lib/rollout/argo/revisions';
import { isPastSteps, type ArgoContext } from '@/lib/rollout/argo/context';
import { describeStep } from '@/lib/rollout/argo/step';
import { stallOf } from '@/lib/rollout/argo/waits';
import type { Wait } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { type DescribedState, stateWithoutWait } from '@/lib/rollout/described-state';
import { capitalize, formatAll, uncapitalize } from '@/lib/format/text';

/** Describes the state of the Rollout; `step` is the state of the current step, `wait` what it waits for. */
export function describeRollout(
  context: ArgoContext,
  step: StepState | null,
  wait: Wait | null,
): DescribedState {
  const since = sinceOf(context);
  const stall = stallOf(context);
  if (stall === null) return { ...describeStage(context, step, wait), since };
  const waitsFor: Wait = { kind: 'controller', text: 'Waiting for the Argo Rollouts controller.' };
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
      return stateWithoutWait('terminating', 'Being deleted together with its pods.');
    case 'initial':
      return stateWithoutWait('starting', 'Waiting for the controller.');
    case 'behind':
      return stateWithoutWait('starting', 'Waiting for the controller to process the last change.');
    case 'first':
      return stateWithoutWait('progressing', 'The first revision starts without steps.');
    case 'idle':
      return stateWithoutWait('idle', 'No rollout yet.');
    case 'completed':
      return rollout.phase === 'Healthy' || rollout.message === null
        ? stateWithoutWait('completed', `${capitalize(formatUpdatedRevision(context))} is stable.`)
        : stateWithoutWait(
            'completed',
            `${capitalize(formatUpdatedRevision(context))} is stable: ${rollout.message}.`,
          );
    case 'aborted':
      if (rollout.statedPhase !== 'Degraded')
        return stateWithoutWait(
          'rollingBack',
          `Aborting: traffic returns to ${formatStableRevision(context)}.`,
        );
      return stateWithoutWait(
        'failed',
        `Aborted${abortCause(rollout)}: ${formatStableRevision(context)} is serving; the spec still requests ${formatUpdatedRevision(context)}.`,
      );
    case 'degraded':
      return stateWithoutWait(
        'failed',
        `Degraded: ${(rollout.message ?? 'Argo Rollouts reports no reason').replace(/\.$/, '')}.${isUnderWay ? ` ${capitalize(formatStableRevision(context))} is stable.` : ''}`,
      );
    case 'unknown':
      return stateWithoutWait('unknown', `Unknown phase: ${rollout.phase}.`);
    case 'inProgress':
      return describeArgoRollout(context, step, wait);
    default:
      return stage satisfies never;
  }
}

/** " by kubectl-argo-rollouts", " (ReplicaSet … has timed out progressing)"; empty where no cause is reported. */
function abortCause({ abortReason, abortedBy }: ArgoContext['rollout']): string {
  if (abortReason !== null) return ` (${abortReason})`;
  return abortedBy === null ? '' : ` by ${abortedBy}`;
}

function describeArgoRollout(
  context: ArgoContext,
  step: StepState | null,
  wait: Wait | null,
): Omit<DescribedState, 'since'> {
  const { rollout, index, total } = context;
  const isBlueGreen = rollout.strategy === 'blueGreen';
  if (rollout.paused)
    return {
      state: 'paused',
      message: `Paused${isBlueGreen || total === 0 ? '' : ` in step ${index} of ${total}`}: nothing continues until it is resumed.`,
      waitsFor: { kind: 'resume', text: 'Waiting to be resumed.' },
    };
  if (rollout.promoteFull)
    return stateWithoutWait(
      'completing',
      `Full promotion: ${formatUpdatedRevision(context)} gets all pods; the remaining steps are skipped.`,
    );
  if (isBlueGreen) return describeBlueGreen(context, step, wait);
  if (total === 0)
    return stateWithoutWait(
      'progressing',
      `${capitalize(formatUpdatedRevision(context))} replaces ${formatStableRevision(context)}.`,
    );
  if (isPastSteps(context))
    return stateWithoutWait(
      'completing',
      `${formatAll(total, 'step')} are done; ${formatUpdatedRevision(context)} gets the remaining pods.`,
    );
  const plan = rollout.steps[index - 1];
  return {
    state: step === 'waiting' ? 'waiting' : 'progressing',
    message: `Step ${index} of ${total}${describeStepState(step) ?? (plan === undefined ? '' : `: ${uncapitalize(describeStep(plan, rollout.maxWeight))}`)}.`,
    waitsFor: wait,
  };
}

function describeStepState(step: StepState | null): string | null {
  if (step === 'waiting') return ' is waiting for promotion';
  return step === 'approved' ? ' is done; the controller continues' : null;
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
        message: `${updated} runs as a preview and is waiting for promotion.`,
        waitsFor: wait,
      };
    case 'approved':
      return {
        state: 'completing',
        message: `${updated} is serving; the pods of ${formatStableRevision(context)} are kept for now.`,
        waitsFor: wait,
      };
    case 'pausing':
      return {
        state: 'progressing',
        message: `${updated} runs as a preview and is promoted automatically.`,
        waitsFor: wait,
      };
    case 'analysing':
      return {
        state: 'progressing',
        message: `${updated} runs as a preview while its analysis runs.`,
        waitsFor: wait,
      };
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
    case 'inProgress':
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
      `The pod template comes from ${rollout.reference.kind} ${rollout.reference.name}; a rollback changes it there.`,
    );
  if (rollout.strategy === null) notes.push('The Rollout has no strategy, so it does nothing.');
  if (stage === 'aborted')
    notes.push(
      'An abort reverts pods and traffic, not the spec. Roll back to make the spec match what is serving, or retry.',
    );
  if (rollout.paused && !isUnderWay)
    notes.push('The Rollout is paused: the next rollout waits before its first step.');
  if (rollout.restartAt !== null && rollout.restartAt !== rollout.restartedAt)
    notes.push('A restart is in progress: older pods are replaced regardless of the step.');
  if (unassigned > 0)
    notes.push(
      'Argo Rollouts does not label pods with their step, so not every pod can be attributed to one.',
    );
  return notes;
}
