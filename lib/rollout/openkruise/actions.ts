import { type KruiseReleaseRevisions } from '@/lib/rollout/openkruise/revisions';
import { isReleasing, type KruiseContext, type KruiseStage } from '@/lib/rollout/openkruise/context';
import { currentIndex } from '@/lib/rollout/openkruise/steps';
import { type Refusal, refusalFields } from '@/lib/rollout/refusal';
import { type RolloutAction } from '@/lib/api/rollouts';
import { type RolloutActionName } from '@/lib/api/action-values';

interface Rule {
  refusal: (context: KruiseContext, revisions: KruiseReleaseRevisions) => Refusal;
  consequence?: (context: KruiseContext) => string | null;
  steps?: (context: KruiseContext) => number[];
}

/** The actions of OpenKruise. */
export type KruiseActionName = Exclude<
  RolloutActionName,
  'promoteFull' | 'abort' | 'retry' | 'restart' | 'delete'
>;

const PROMOTES_TEXT =
  'A release is under way: OpenKruise promotes it to all pods at once, without the steps that are left.';

/**
 * The actions possible by fields alone, never by messages. An approval or a jump is processed only while
 * steps are worked on: the state of a step outlives a release that was rolled back.
 * https://github.com/openkruise/rollouts/issues/339
 */
const RULES: Readonly<Record<KruiseActionName, Rule>> = {
  approve: { refusal: refuseApprove, consequence: describeUnreadChange },
  jump: { refusal: refuseJump, consequence: describeUnreadChange, steps: jumpTargets },
  pause: {
    refusal: (context) =>
      refuseDeletedOrDisabled(context) ?? (context.rollout.paused ? 'The Rollout is paused already.' : null),
    consequence: ({ stage }) =>
      isReleasing(stage)
        ? 'Approvals, jumps and rollbacks wait until it is resumed.'
        : 'No release is under way: the next one will wait before its first step.',
  },
  resume: {
    refusal: (context) =>
      refuseDeletedOrDisabled(context) ?? (context.rollout.paused ? null : 'The Rollout is not paused.'),
  },
  disable: {
    refusal: (context) =>
      refuseDeleted(context) ?? (context.rollout.disabled ? 'The Rollout is disabled already.' : null),
    consequence: ({ stage }) =>
      isReleasing(stage) ? PROMOTES_TEXT : 'Changes of the workload will roll out at once, without steps.',
  },
  enable: {
    refusal: (context) =>
      refuseDeleted(context) ?? (context.rollout.disabled ? null : 'The Rollout is not disabled.'),
  },
  rollback: { refusal: refuseRollback, consequence: describeRollback },
};

/** Every action of a Rollout, with whether it is possible now and why not. */
export function actionsOf(context: KruiseContext, revisions: KruiseReleaseRevisions): RolloutAction[] {
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
  initial: 'The controller has yet to take up this Rollout.',
  missing: 'The workload is missing.',
  idle: 'No release is under way.',
  starting: 'The release is only about to begin.',
  paused: 'The Rollout is paused: this would wait until it is resumed. Resume it first.',
  rollingBack: 'The release is being rolled back.',
  completing: 'All steps are done.',
  completed: 'The release is over.',
  rolledBack: 'The release was rolled back; what its status says of a step is left over from it.',
  disabling: 'The Rollout is being disabled.',
  disabled: 'The Rollout is disabled.',
  terminating: 'The Rollout is being deleted.',
  unknown: 'The Rollout is in a phase that Shiplog does not know.',
};

function refuseNotInStep({ stage, progress, total }: KruiseContext): Refusal {
  if (stage !== 'inStep') return NOT_IN_STEP[stage];
  if (progress === null || progress.stepIndex < 1 || progress.stepIndex > total)
    return 'Its status names no step that there is.';
  return null;
}

function refuseApprove(context: KruiseContext): Refusal {
  const refusal = refuseNotInStep(context);
  if (refusal !== null) return refusal;
  const state = context.progress?.stepState ?? '';
  if (state === 'StepPaused') return null;
  const index = currentIndex(context);
  if (state === 'StepReady') return `Step ${index} has been approved already.`;
  return `Step ${index} does not wait for approval: it is in the state ${state === '' ? 'unknown' : state}.`;
}

function refuseJump(context: KruiseContext): Refusal {
  const refusal = refuseNotInStep(context);
  if (refusal !== null) return refusal;
  if (context.progress?.nextStepIndex === null)
    return 'Its status names no next step: this version of OpenKruise Rollouts knows no jump.';
  return jumpTargets(context).length === 0 ? 'There is no other step to go to.' : null;
}

/** All but the next one, which is no jump; the current one runs again. */
function jumpTargets(context: KruiseContext): number[] {
  const next = context.progress?.nextStepIndex ?? 0;
  const coming = next > 0 ? next : currentIndex(context) + 1;
  return context.rollout.steps.map((_, offset) => offset + 1).filter((index) => index !== coming);
}

function refuseRollback(context: KruiseContext, { stable }: KruiseReleaseRevisions): Refusal {
  const { stage, facts, rollout } = context;
  const { kind, name } = rollout.workload;
  if (!isReleasing(stage))
    return stage === 'completed' || stage === 'idle' || stage === 'rolledBack'
      ? { reason: `No release is under way. Roll ${kind} ${name} back instead.`, instead: 'workload' }
      : NOT_IN_STEP[stage === 'inStep' ? 'unknown' : stage];
  if (stage === 'paused') return NOT_IN_STEP.paused;
  if (facts === null) return `Shiplog does not know ${kind} ${name}, whose template would have to go back.`;
  if (stable?.id == null)
    return 'The stable revision is not among the revisions of the workload, so its template is not known.';
  return null;
}

function describeRollback({ rollout }: KruiseContext): string | null {
  switch (rollout.workload.resource) {
    case 'daemonsets.apps':
    case 'daemonsets.apps.kruise.io':
      return 'OpenKruise does not recognise a return of a DaemonSet: it is another release, which begins with step 1.';
    default:
      return rollout.rollsBackInSteps === true
        ? 'It goes back in steps, as the Rollout asks for.'
        : 'It goes back at once, whatever step it is at.';
  }
}

function describeUnreadChange({ rollout }: KruiseContext): string | null {
  const { observedGeneration, generation } = rollout;
  return observedGeneration !== null && observedGeneration < generation
    ? 'The controller has not read the last change of this Rollout; it may not be running.'
    : null;
}
