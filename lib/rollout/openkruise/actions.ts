import {
  DELETED,
  NEXT_WAITS,
  NO_ROLLOUT,
  PAUSED,
  type Refusal,
  refuseDeleted,
  refuseSecondPause,
  refuseUnpaused,
} from '@/lib/engine/allowed';
import type { RolloutAction, RolloutStep } from '@/lib/api/rollouts';
import { formatDuration } from '@/lib/format/duration';
import { formatCount } from '@/lib/format/text';
import type { JsonObject } from '@/lib/kube/json';
import { isReleasing, type KruiseContext, type KruiseStage } from '@/lib/rollout/openkruise/context';
import { findKruiseRevisions, newerTemplate } from '@/lib/rollout/openkruise/revisions';
import { type Draft, draftPause, draftResume, type OperationTable } from '@/lib/rollout/plan-action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutActionRequest } from '@/lib/rollout/system';

/**
 * The actions possible by fields alone, never by messages. An approval or a jump is processed only while
 * steps are worked on: the state of a step outlives a rollout that was rolled back. Every write is the merge patch of
 * `kubectl-kruise`; a rollback is a write to the workload.
 * https://github.com/openkruise/rollouts/issues/339
 * https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/objectapprover.go
 */
export const kruiseActions: OperationTable<KruiseContext> = {
  approve: {
    refusals: [refuseOutsideSteps, refuseApproval],
    consequence: describeUnreadChange,
    warns: true,
    writes: 'status',
    draft: draftApproval,
  },
  jump: {
    refusals: [refuseOutsideSteps, refuseJump],
    consequence: describeUnreadChange,
    steps: jumpTargets,
    warns: true,
    writes: 'status',
    refuseRequest: refuseTarget,
    draft: draftJump,
  },
  pause: {
    refusals: [refuseDeleted, refuseDisabled, refuseSecondPause],
    consequence: ({ stage }) => (isReleasing(stage) ? NO_EFFECT : NEXT_WAITS),
    draft: (context, rollout) => {
      const change = { spec: { strategy: { paused: true } } };
      const draft = draftPause(
        rollout,
        isIdle(context),
        change,
        '; pods that are already requested still start',
      );
      return { ...draft, steps: [...draft.steps, NO_EFFECT] };
    },
  },
  resume: {
    refusals: [refuseDeleted, refuseDisabled, refuseUnpaused],
    draft: (context, rollout) =>
      draftResume(rollout, isIdle(context), 'approval', { spec: { strategy: { paused: false } } }),
  },
  disable: {
    refusals: [
      refuseDeleted,
      ({ rollout }) => (rollout.disabled ? 'The Rollout is already disabled.' : null),
    ],
    consequence: ({ stage }) =>
      isReleasing(stage)
        ? 'A rollout is in progress: OpenKruise promotes it to all pods at once and skips the remaining steps.'
        : 'Changes to the workload then roll out at once, without steps.',
    warns: ({ stage }) => isReleasing(stage),
    draft: ({ stage }, rollout) => {
      const workload = formatWorkload(rollout);
      const promotion = `The rollout in progress is promoted: all pods of ${workload} get the new revision at once.`;
      const effect = `Later changes to ${workload} roll out at once, without steps.`;
      return {
        change: { spec: { disabled: true } },
        title: `Disable ${rollout.name}`,
        steps: isReleasing(stage) ? [promotion, effect] : [effect],
        stays: ['The Rollout and its steps stay and can be enabled again.'],
        goal: { until: 'disabled' },
      };
    },
  },
  enable: {
    refusals: [refuseDeleted, ({ rollout }) => (rollout.disabled ? null : 'The Rollout is not disabled.')],
    draft: ({ total }, rollout) => ({
      change: { spec: { disabled: false } },
      title: `Enable ${rollout.name}`,
      steps: [`The next change to ${formatWorkload(rollout)} rolls out in ${formatCount(total, 'step')}.`],
      stays: ['Pods do not change: enabling starts no rollout.'],
      goal: { until: 'enabled' },
    }),
  },
  rollback: { refusals: [refuseRollback], consequence: describeRollback },
};

const NO_EFFECT = 'Approvals, jumps and rollbacks have no effect until it is resumed.';

/** No step has begun. */
function isIdle({ stage, index }: KruiseContext): boolean {
  return index === 0 || !isReleasing(stage);
}

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
  return newerTemplate(context) === null
    ? null
    : 'The workload requests another template, which the controller has not processed yet.';
}

function refuseApproval(context: KruiseContext): Refusal {
  const state = context.progress?.stepState ?? '';
  if (state === 'StepPaused') return null;
  const { index } = context;
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
  const coming = next > 0 ? next : context.index + 1;
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

function draftApproval(context: KruiseContext, rollout: ProgressiveRollout): Draft {
  const { index, total, next } = rollout.step;
  const to = next ?? (index < total ? index + 1 : null);
  return {
    change: statusOf(context, { currentStepState: 'StepReady' }),
    title: `Approve step ${index} of ${total}`,
    steps: to === null ? [describeEnd(rollout)] : describeStep(rollout, to),
    stays: [describeStaying(rollout)],
    goal: { until: 'step', from: index, to, runId: rollout.run.id },
  };
}

function draftJump(
  context: KruiseContext,
  rollout: ProgressiveRollout,
  { step }: RolloutActionRequest,
): Draft {
  const { index, total } = context;
  const to = step ?? 0;
  const between = rollout.steps.filter((each) => each.index > index && each.index < to);
  const skipped = `${between.length === 1 ? 'Step' : 'Steps'} ${between.map((each) => each.index).join(', ')} ${between.length === 1 ? 'is' : 'are'} skipped.`;
  const steps = describeStep(rollout, to);
  return {
    change: statusOf(context, { nextStepIndex: to }),
    title: to === index ? `Run step ${to} of ${total} again` : `Jump to step ${to} of ${total}`,
    steps: between.length === 0 ? steps : [skipped, ...steps],
    stays: [describeStaying(rollout)],
    goal: { until: 'step', from: index, to, runId: rollout.run.id },
  };
}

function describeStaying(rollout: ProgressiveRollout): string {
  return `The steps of the Rollout and the pod template of ${formatWorkload(rollout)} do not change.`;
}

/** A blue-green rollout has another status field. */
function statusOf({ style }: KruiseContext, change: JsonObject): JsonObject {
  return { status: { [style === 'blueGreen' ? 'blueGreenStatus' : 'canaryStatus']: change } };
}

/** No jump goes elsewhere than offered. */
function refuseTarget(
  { index, total }: KruiseContext,
  { step }: RolloutActionRequest,
  { steps }: RolloutAction,
): { code: string; message: string } | null {
  if (step !== null && steps?.includes(step) === true) return null;
  const message =
    step === null
      ? 'A jump needs a target step.'
      : step < 1 || step > total
        ? `Step ${step} does not exist: the Rollout has ${formatCount(total, 'step')}.`
        : `Step ${step} is the next step. Approve step ${index} instead.`;
  return { code: 'no_such_step', message };
}

/** What a step does, and how it ends: a sentence each. */
function describeStep(rollout: ProgressiveRollout, index: number): string[] {
  const step = rollout.steps[index - 1];
  if (step === undefined) return [];
  const traffic = step.traffic.planned;
  const share =
    traffic === null
      ? ''
      : traffic.kind === 'weight'
        ? ` and ${traffic.percent}% of traffic`
        : ' and the requests that match its rules';
  return [
    `Step ${index} of ${rollout.step.total} starts: the new revision gets ${podsOf(step, rollout)}${share}.`,
    describePause(step, rollout),
  ];
}

function podsOf(
  { replicas: { planned, requested } }: RolloutStep,
  { replicas: { desired } }: ProgressiveRollout,
): string {
  if (planned === null) return requested === null ? 'its pods' : `${requested} of the pods`;
  return desired === null ? formatCount(planned, 'pod') : `${planned} of ${formatCount(desired, 'pod')}`;
}

function describePause({ index, pause }: RolloutStep, rollout: ProgressiveRollout): string {
  const next = index < rollout.step.total ? `step ${index + 1} starts` : 'the rollout completes';
  switch (pause?.kind) {
    case 'approval':
      return 'It then waits for approval again.';
    case 'time':
      return pause.seconds === 0
        ? `Then ${next} automatically.`
        : `After a pause of ${formatDuration(pause.seconds * 1_000)}, ${next} automatically.`;
    case 'none':
    case undefined:
      return `Then ${next} automatically.`;
    default:
      return pause satisfies never;
  }
}

/** What follows the last step. */
function describeEnd(rollout: ProgressiveRollout): string {
  return `This is the last step: the rollout completes, and all pods of ${formatWorkload(rollout)} get the new revision.`;
}

/** The workload, with its kind. */
function formatWorkload({ workload: { kind, name } }: ProgressiveRollout): string {
  return `${kind} ${name}`;
}
