import type { KruiseRevisions } from '@/lib/rollout/openkruise/revisions';
import { isReleasing, type KruiseContext, type KruiseStage } from '@/lib/rollout/openkruise/context';
import { currentIndex } from '@/lib/rollout/openkruise/steps';
import { type Refusal, refusalFields } from '@/lib/rollout/refusal';
import type { RolloutAction } from '@/lib/api/rollouts';
import type { RolloutActionName } from '@/lib/api/action-values';

interface Rule {
  refusal: (context: KruiseContext, revisions: KruiseRevisions) => Refusal;
  consequence?: (context: KruiseContext) => string | null;
  steps?: (context: KruiseContext) => number[];
}

/** The actions of OpenKruise. */
export type KruiseActionName = Exclude<
  RolloutActionName,
  'promoteFull' | 'abort' | 'retry' | 'restart' | 'delete'
>;

const PROMOTES_TEXT =
  'A rollout is in progress: OpenKruise promotes it to all pods at once and skips the remaining steps.';

/**
 * The actions possible by fields alone, never by messages. An approval or a jump is processed only while
 * steps are worked on: the state of a step outlives a rollout that was rolled back.
 * https://github.com/openkruise/rollouts/issues/339
 */
const RULES: Readonly<Record<KruiseActionName, Rule>> = {
  approve: { refusal: refuseApprove, consequence: describeUnreadChange },
  jump: { refusal: refuseJump, consequence: describeUnreadChange, steps: jumpTargets },
  pause: {
    refusal: (context) =>
      refuseDeletedOrDisabled(context) ?? (context.rollout.paused ? 'The Rollout is already paused.' : null),
    consequence: ({ stage }) =>
      isReleasing(stage)
        ? 'Approvals, jumps and rollbacks have no effect until it is resumed.'
        : 'No rollout is in progress: the next one waits before its first step.',
  },
  resume: {
    refusal: (context) =>
      refuseDeletedOrDisabled(context) ?? (context.rollout.paused ? null : 'The Rollout is not paused.'),
  },
  disable: {
    refusal: (context) =>
      refuseDeleted(context) ?? (context.rollout.disabled ? 'The Rollout is already disabled.' : null),
    consequence: ({ stage }) =>
      isReleasing(stage) ? PROMOTES_TEXT : 'Changes to the workload then roll out at once, without steps.',
  },
  enable: {
    refusal: (context) =>
      refuseDeleted(context) ?? (context.rollout.disabled ? null : 'The Rollout is not disabled.'),
  },
  rollback: { refusal: refuseRollback, consequence: describeRollback },
};

/** Every action of a Rollout, with whether it is possible now and why not. */
export function actionsOf(context: KruiseContext, revisions: KruiseRevisions): RolloutAction[] {
  return (Object.entries(RULES) as [KruiseActionName, Rule][]).map(([name, rule]) => {
    const refusal = rule.refusal(context, revisions);
    return {
      name,
      ...refusalFields(refusal),
      consequence: refusal === null ? (rule.consequence?.(context) ?? null) : null,
      steps: refusal === null ? (rule.steps?.(context) ?? null) : null,
    };
  });
}

export function isKruiseAction(name: RolloutActionName): name is KruiseActionName {
  return Object.hasOwn(RULES, name);
}

function refuseDeleted({ stage }: KruiseContext): Refusal {
  return stage === 'terminating' ? 'The Rollout is being deleted.' : null;
}

function refuseDeletedOrDisabled(context: KruiseContext): Refusal {
  const { stage } = context;
  const isOff = stage === 'disabled' || stage === 'disabling';
  return refuseDeleted(context) ?? (isOff ? 'The Rollout is disabled. Enable it first.' : null);
}

/** Why no step is being worked on. */
const NOT_IN_STEP: Readonly<Record<Exclude<KruiseStage, 'inStep'>, string>> = {
  initial: 'The controller has not processed this Rollout yet.',
  missing: 'The workload does not exist.',
  idle: 'No rollout is in progress.',
  starting: 'The rollout has not started its first step yet.',
  paused: 'The Rollout is paused. Resume it first.',
  rollingBack: 'The rollout is being rolled back.',
  completing: 'All steps are done.',
  completed: 'The rollout is finished.',
  rolledBack: 'The rollout was rolled back; the step in its status is outdated.',
  disabling: 'The Rollout is being disabled.',
  disabled: 'The Rollout is disabled.',
  terminating: 'The Rollout is being deleted.',
  unknown: 'Shiplog does not know the phase of this Rollout.',
};

function refuseNotInStep({ stage, progress, total }: KruiseContext): Refusal {
  if (stage !== 'inStep') return NOT_IN_STEP[stage];
  if (progress === null || progress.stepIndex < 1 || progress.stepIndex > total)
    return 'The step in its status does not exist.';
  return null;
}

function refuseApprove(context: KruiseContext): Refusal {
  const refusal = refuseNotInStep(context);
  if (refusal !== null) return refusal;
  const state = context.progress?.stepState ?? '';
  if (state === 'StepPaused') return null;
  const index = currentIndex(context);
  if (state === 'StepReady') return `Step ${index} is already approved.`;
  return `Step ${index} is not waiting for approval: its state is ${state === '' ? 'unknown' : state}.`;
}

function refuseJump(context: KruiseContext): Refusal {
  const refusal = refuseNotInStep(context);
  if (refusal !== null) return refusal;
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

function refuseRollback(context: KruiseContext, { stable }: KruiseRevisions): Refusal {
  const { stage, facts, rollout } = context;
  const { kind, name } = rollout.workload;
  if (!isReleasing(stage))
    return stage === 'completed' || stage === 'idle' || stage === 'rolledBack'
      ? { reason: `No rollout is in progress. Roll back ${kind} ${name} instead.`, instead: 'workload' }
      : NOT_IN_STEP[stage === 'inStep' ? 'unknown' : stage];
  if (stage === 'paused') return NOT_IN_STEP.paused;
  if (facts === null)
    return `Shiplog does not know ${kind} ${name}, so it cannot roll back its pod template.`;
  if (stable?.id == null)
    return 'The template of the stable revision is unknown: it is not among the revisions of the workload.';
  return null;
}

function describeRollback({ rollout }: KruiseContext): string | null {
  switch (rollout.workload.resource) {
    case 'daemonsets.apps':
    case 'daemonsets.apps.kruise.io':
      return 'OpenKruise treats a rollback of a DaemonSet as a new rollout, which starts with step 1.';
    default:
      return rollout.rollsBackInSteps === true
        ? 'The rollback runs in steps, as the Rollout requests.'
        : 'The rollback skips the steps and starts at once.';
  }
}

function describeUnreadChange({ rollout }: KruiseContext): string | null {
  const { observedGeneration, generation } = rollout;
  return observedGeneration !== null && observedGeneration < generation
    ? 'The controller has not processed the last change of this Rollout. It may not be running.'
    : null;
}
