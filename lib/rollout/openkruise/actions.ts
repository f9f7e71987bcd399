import { type ReleaseRevisions } from '@/lib/rollout/openkruise/revisions';
import { isReleasing, type Situation, type Stage } from '@/lib/rollout/openkruise/situation';
import { currentIndex } from '@/lib/rollout/openkruise/steps';
import { type Refusal, tellRefusal } from '@/lib/rollout/refusal';
import { type RolloutAction, type RolloutActionName } from '@/lib/rollout/rollout';

interface Rule {
  refusal: (situation: Situation, revisions: ReleaseRevisions) => Refusal;
  consequence?: (situation: Situation) => string | null;
  steps?: (situation: Situation) => number[];
}

/** Those that OpenKruise has. */
export type KruiseActionName = Exclude<
  RolloutActionName,
  'promoteFull' | 'abort' | 'retry' | 'restart' | 'delete'
>;

const PROMOTES =
  'A release is under way: OpenKruise promotes it to all pods at once, without the steps that are left.';

/**
 * What can be done by fields alone, never by messages. An approval or a jump is taken up only while steps are worked on: the
 * state of a step outlives a release that was rolled back.
 * https://github.com/openkruise/rollouts/issues/339
 */
const RULES: Readonly<Record<KruiseActionName, Rule>> = {
  approve: { refusal: refuseApprove, consequence: sayNobodyWorks },
  jump: { refusal: refuseJump, consequence: sayNobodyWorks, steps: jumpTargets },
  pause: {
    refusal: (situation) =>
      goneOrDisabled(situation) ?? (situation.rollout.paused ? 'The Rollout is paused already.' : null),
    consequence: ({ stage }) =>
      isReleasing(stage)
        ? 'Approvals, jumps and rollbacks wait until it is resumed.'
        : 'No release is under way: the next one will wait before its first step.',
  },
  resume: {
    refusal: (situation) =>
      goneOrDisabled(situation) ?? (situation.rollout.paused ? null : 'The Rollout is not paused.'),
  },
  disable: {
    refusal: (situation) =>
      gone(situation) ?? (situation.rollout.disabled ? 'The Rollout is disabled already.' : null),
    consequence: ({ stage }) =>
      isReleasing(stage) ? PROMOTES : 'Changes of the workload will roll out at once, without steps.',
  },
  enable: {
    refusal: (situation) =>
      gone(situation) ?? (situation.rollout.disabled ? null : 'The Rollout is not disabled.'),
  },
  rollback: { refusal: refuseRollback, consequence: sayRollback },
};

/** Every action of a Rollout, with whether it can be done now and why not. */
export function actionsOf(situation: Situation, revisions: ReleaseRevisions): RolloutAction[] {
  return (Object.entries(RULES) as [KruiseActionName, Rule][]).map(([name, rule]) => {
    const refusal = rule.refusal(situation, revisions);
    return {
      name,
      ...tellRefusal(refusal),
      consequence: refusal === null ? (rule.consequence?.(situation) ?? null) : null,
      steps: refusal === null ? (rule.steps?.(situation) ?? null) : null,
    };
  });
}

export function isKruiseAction(name: RolloutActionName): name is KruiseActionName {
  return Object.hasOwn(RULES, name);
}

function gone({ stage }: Situation): Refusal {
  return stage === 'terminating' ? 'The Rollout is being deleted.' : null;
}

function goneOrDisabled(situation: Situation): Refusal {
  const { stage } = situation;
  const isOff = stage === 'disabled' || stage === 'disabling';
  return gone(situation) ?? (isOff ? 'The Rollout is disabled. Enable it first.' : null);
}

/** Why no step is being worked on. */
const NOT_IN_STEP: Readonly<Record<Exclude<Stage, 'inStep'>, string>> = {
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

function notInStep({ stage, progress, total }: Situation): Refusal {
  if (stage !== 'inStep') return NOT_IN_STEP[stage];
  if (progress === null || progress.stepIndex < 1 || progress.stepIndex > total)
    return 'Its status names no step that there is.';
  return null;
}

function refuseApprove(situation: Situation): Refusal {
  const refusal = notInStep(situation);
  if (refusal !== null) return refusal;
  const state = situation.progress?.stepState ?? '';
  if (state === 'StepPaused') return null;
  const index = currentIndex(situation);
  if (state === 'StepReady') return `Step ${index} has been approved already.`;
  return `Step ${index} does not wait for approval: it is in the state ${state === '' ? 'unknown' : state}.`;
}

function refuseJump(situation: Situation): Refusal {
  const refusal = notInStep(situation);
  if (refusal !== null) return refusal;
  if (situation.progress?.nextStepIndex === null)
    return 'Its status names no next step: this version of OpenKruise Rollouts knows no jump.';
  return jumpTargets(situation).length === 0 ? 'There is no other step to go to.' : null;
}

/** All but the one that comes next anyway, which is no jump; the present one runs again. */
function jumpTargets(situation: Situation): number[] {
  const next = situation.progress?.nextStepIndex ?? 0;
  const coming = next > 0 ? next : currentIndex(situation) + 1;
  return situation.rollout.steps.map((_, offset) => offset + 1).filter((index) => index !== coming);
}

function refuseRollback(situation: Situation, { stable }: ReleaseRevisions): Refusal {
  const { stage, facts, rollout } = situation;
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

function sayRollback({ rollout }: Situation): string | null {
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

function sayNobodyWorks({ rollout }: Situation): string | null {
  const { observedGeneration, generation } = rollout;
  return observedGeneration !== null && observedGeneration < generation
    ? 'The controller has not read the last change of this Rollout; it may not be running.'
    : null;
}
