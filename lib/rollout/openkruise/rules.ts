import {
  type ActionTable,
  DELETED,
  NEXT_WAITS,
  NO_ROLLOUT,
  PAUSED,
  type Refusal,
  refuseDeleted,
  refuseSecondPause,
  refuseUnpaused,
} from '@/lib/engine/allowed';
import { isReleasing, type KruiseContext, type KruiseStage } from '@/lib/rollout/openkruise/context';
import { findKruiseRevisions, newerTemplate } from '@/lib/rollout/openkruise/revisions';
import { currentIndex } from '@/lib/rollout/openkruise/steps';

/**
 * The actions possible by fields alone, never by messages. An approval or a jump is processed only while
 * steps are worked on: the state of a step outlives a rollout that was rolled back.
 * https://github.com/openkruise/rollouts/issues/339
 */
export const kruiseActions: ActionTable<KruiseContext> = {
  approve: { refusals: [refuseOutsideSteps, refuseApproval], consequence: describeUnreadChange },
  jump: { refusals: [refuseOutsideSteps, refuseJump], consequence: describeUnreadChange, steps: jumpTargets },
  pause: {
    refusals: [refuseDeleted, refuseDisabled, refuseSecondPause],
    consequence: ({ stage }) =>
      isReleasing(stage) ? 'Approvals, jumps and rollbacks have no effect until it is resumed.' : NEXT_WAITS,
  },
  resume: { refusals: [refuseDeleted, refuseDisabled, refuseUnpaused] },
  disable: {
    refusals: [
      refuseDeleted,
      ({ rollout }) => (rollout.disabled ? 'The Rollout is already disabled.' : null),
    ],
    consequence: ({ stage }) =>
      isReleasing(stage)
        ? 'A rollout is in progress: OpenKruise promotes it to all pods at once and skips the remaining steps.'
        : 'Changes to the workload then roll out at once, without steps.',
  },
  enable: {
    refusals: [refuseDeleted, ({ rollout }) => (rollout.disabled ? null : 'The Rollout is not disabled.')],
  },
  rollback: { refusals: [refuseRollback], consequence: describeRollback },
};

function refuseDisabled({ stage }: KruiseContext): Refusal {
  return stage === 'disabled' || stage === 'disabling' ? 'The Rollout is disabled. Enable it first.' : null;
}

/** Why no step is being worked on. */
const NOT_IN_STEP: Readonly<Record<Exclude<KruiseStage, 'inStep'>, string>> = {
  initial: 'The controller has not processed this Rollout yet.',
  missing: 'The workload does not exist.',
  idle: NO_ROLLOUT,
  starting: 'The rollout has not started its first step yet.',
  paused: PAUSED,
  rollingBack: 'The rollout is being rolled back.',
  bypassing: 'The rollout was canceled, and the workload is updated without steps.',
  bypassed: 'The rollout was canceled; the step in its status is outdated.',
  completing: 'All steps are done.',
  completed: 'The rollout is finished.',
  rolledBack: 'The rollout was rolled back; the step in its status is outdated.',
  disabling: 'The Rollout is being disabled.',
  disabled: 'The Rollout is disabled.',
  terminating: DELETED,
  unknown: 'Shiplog does not know the phase of this Rollout.',
};

function refuseOutsideSteps(context: KruiseContext): Refusal {
  const { stage, progress, total } = context;
  if (stage !== 'inStep') return NOT_IN_STEP[stage];
  if (progress === null || progress.stepIndex < 1 || progress.stepIndex > total)
    return 'The step in its status does not exist.';
  // What waits is the step of a rollout that is about to end.
  return newerTemplate(context, findKruiseRevisions(context)) === null
    ? null
    : 'The workload requests another template, which the controller has not processed yet.';
}

function refuseApproval(context: KruiseContext): Refusal {
  const state = context.progress?.stepState ?? '';
  if (state === 'StepPaused') return null;
  const index = currentIndex(context);
  if (state === 'StepReady') return `Step ${index} is already approved.`;
  return `Step ${index} is not waiting for approval: its state is ${state === '' ? 'unknown' : state}.`;
}

function refuseJump(context: KruiseContext): Refusal {
  if (context.progress?.nextStepIndex === null)
    return 'This version of OpenKruise Rollouts does not support jumps.';
  return jumpTargets(context).length === 0 ? 'There is no other step to jump to.' : null;
}

/** All but the next one, which is no jump; the current one runs again. */
function jumpTargets(context: KruiseContext): number[] {
  const next = context.progress?.nextStepIndex ?? 0;
  const coming = next > 0 ? next : currentIndex(context) + 1;
  return context.rollout.steps.map((_, offset) => offset + 1).filter((index) => index !== coming);
}

function refuseRollback(context: KruiseContext): Refusal {
  const { stage, facts, rollout } = context;
  const { kind, name } = rollout.workload;
  if (stage === 'completed' || stage === 'idle' || stage === 'rolledBack' || stage === 'bypassed')
    return { reason: `${NO_ROLLOUT} Roll back ${kind} ${name} instead.`, instead: 'workload' };
  if (stage !== 'inStep' && stage !== 'starting') return NOT_IN_STEP[stage];
  if (facts === null)
    return `Shiplog does not know ${kind} ${name}, so it cannot roll back its pod template.`;
  if (findKruiseRevisions(context).stable?.id == null)
    return 'The template of the stable revision is unknown: it is not among the revisions of the workload.';
  return null;
}

function describeRollback({ rollout }: KruiseContext): string {
  if (isDaemonSet(rollout))
    return 'OpenKruise treats a rollback of a DaemonSet as a new rollout, which starts with step 1.';
  return rollout.rollsBackInSteps
    ? 'The rollback runs in steps, as the Rollout requests.'
    : 'The rollback skips the steps and starts at once.';
}

/** Whether the stable revision is rolled out again, from step 1. */
export function rollsBackByStep(rollout: KruiseContext['rollout']): boolean {
  return rollout.rollsBackInSteps || isDaemonSet(rollout);
}

function isDaemonSet({ workload: { resource } }: KruiseContext['rollout']): boolean {
  return resource === 'daemonsets.apps' || resource === 'daemonsets.apps.kruise.io';
}

function describeUnreadChange({ rollout }: KruiseContext): string | null {
  const { observedGeneration, generation } = rollout;
  return observedGeneration !== null && observedGeneration < generation
    ? 'The controller has not processed the last change of this Rollout. It may not be running.'
    : null;
}
