import type { RolloutActionName } from '@/lib/api/action-values';
import {
  DELETED,
  NEXT_WAITS,
  NO_ROLLOUT,
  type Refusal,
  refuseDeleted,
  refuseSecondPause,
  refuseUnpaused,
} from '@/lib/engine/allowed';
import { capitalize, formatCount, uncapitalize } from '@/lib/format/text';
import type { JsonObject } from '@/lib/kube/json';
import {
  type ArgoContext,
  findArgoRevisions,
  formatStableRevision,
  formatUpdatedRevision,
  isPastSteps,
  isReleasing,
} from '@/lib/argo/context';
import { argoCommand, describeRestart, RESUMPTION } from '@/lib/argo/controls';
import type { ArgoRollout } from '@/lib/argo/reading';
import { templateOwnerOf } from '@/lib/argo/reference';
import { argoRollouts, experiments } from '@/lib/argo/resource';
import { describeStep } from '@/lib/argo/step';
import {
  type Draft,
  draftPause,
  draftResume,
  type OperationTable,
  writeRight,
} from '@/lib/rollout/plan-action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutGoal } from '@/lib/rollout/system';
import { patchRight, patchWorkload, testUid } from '@/lib/workloads/patch';
import type { NeededRight } from '@/lib/workloads/plan';

const STEPS_STAY = 'The steps and the pod template do not change.';

/**
 * The actions of Argo Rollouts, with the merge patches of its own command; it has no jump, and cannot be disabled. A
 * rollback changes the template, which the kind plans.
 * https://github.com/argoproj/argo-rollouts/tree/master/pkg/kubectl-argo-rollouts/cmd
 */
export const argoActions: OperationTable<ArgoContext> = {
  approve: {
    refusals: [refuseIdle, refusePromoted, refusePromotion],
    consequence: describePromotion,
    writes: 'statusOrObject',
    draft: (context, rollout) => resumeToo(context, draftPromotion(context, rollout)),
  },
  promoteFull: {
    refusals: [
      ({ stage }) => (stage === 'aborted' ? 'The rollout was aborted. Retry it first.' : null),
      refuseIdle,
      refusePromoted,
    ],
    consequence: describeFullPromotion,
    warns: true,
    writes: 'statusOrObject',
    draft: (context, rollout) =>
      resumeToo(context, {
        change: { status: { promoteFull: true } },
        title: `Promote full: ${rollout.name}`,
        steps: [
          `${capitalize(formatUpdatedRevision(context))} gets all ${formatCount(context.rollout.desired, 'pod')} and all traffic at once. The remaining steps are skipped.`,
        ],
        stays: [STEPS_STAY],
        goal: stepGoal(rollout, null),
        kubectl: argoCommand(rollout, 'promote', '--full'),
      }),
  },
  pause: {
    refusals: [refuseDeleted, refuseSecondPause],
    consequence: (context) => (isReleasing(context) ? null : NEXT_WAITS),
    draft: ({ index }, rollout) => ({
      ...draftPause(rollout, index === 0, { spec: { paused: true } }),
      kubectl: argoCommand(rollout, 'pause'),
    }),
  },
  resume: {
    refusals: [refuseDeleted, refuseUnpaused],
    draft: ({ index }, rollout) =>
      draftResume(rollout, index === 0, 'promotion', { spec: { paused: false } }),
  },
  abort: {
    refusals: [({ stage }) => (stage === 'aborted' ? 'The rollout is already aborted.' : null), refuseIdle],
    consequence: (context) =>
      `The spec still requests ${formatUpdatedRevision(context)}. Roll back instead to revert the spec, too.`,
    warns: true,
    writes: 'statusOrObject',
    draft: (context, rollout) => ({
      change: { status: { abort: true } },
      title: `Abort the rollout of ${rollout.name}`,
      steps: [
        `All traffic returns to ${formatStableRevision(context)}, and the pods of ${formatUpdatedRevision(context)} terminate.`,
        'The Rollout is Degraded until it is retried, rolled back or changed.',
      ],
      stays: [`The spec still requests ${formatUpdatedRevision(context)}.`],
      goal: { until: 'aborted' },
      kubectl: argoCommand(rollout, 'abort'),
    }),
  },
  retry: {
    refusals: [refuseDeleted, refuseRetry],
    consequence: describeRetry,
    writes: 'statusOrObject',
    draft: draftRetry,
  },
  restart: {
    refusals: [refuseDeleted],
    consequence: ({ isUnderWay }) => (isUnderWay ? 'Pods of both revisions restart.' : null),
    draft: ({ rollout: { desired }, nowMs }, rollout) => ({
      change: { spec: { restartAt: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z') } },
      ...describeRestart(rollout, desired),
      goal: { until: 'observed' },
    }),
  },
  rollback: { refusals: [refuseRollback], consequence: describeRollback },
};

/** Of an action that writes another object: the one that holds the template, or the experiment that runs again. */
export function findRightElsewhere(
  object: ArgoRollout,
  action: RolloutActionName,
): NeededRight | null | undefined {
  if (action === 'rollback') {
    const holder = templateOwnerOf(object);
    return holder === null ? null : patchRight(holder.resource, holder);
  }
  const { namespace, experiment: name } = object;
  if (action !== 'retry' || object.aborted || name === null) return undefined;
  return writeRight(experiments, { namespace, name }, 'status');
}

/** Why there is no rollout to act on. */
function refuseIdle(context: ArgoContext): Refusal {
  const { stage, rollout } = context;
  if (isReleasing(context)) return null;
  switch (stage) {
    case 'terminating':
      return DELETED;
    case 'initial':
    case 'behind':
      return 'The controller has not processed the last change yet.';
    case 'aborted':
      return 'The rollout was aborted. Roll back or retry it.';
    case 'first':
      return 'The first revision starts without steps.';
    case 'unknown':
      return `Shiplog does not know the phase ${rollout.phase} of the Rollout.`;
    default:
      return NO_ROLLOUT;
  }
}

function refusePromoted({ rollout }: ArgoContext): Refusal {
  return rollout.promoteFull ? 'A full promotion is already in progress.' : null;
}

function refusePromotion(context: ArgoContext): Refusal {
  const { rollout, index } = context;
  if (rollout.strategy === 'blueGreen')
    return isWaiting(context) ? null : 'The new revision is not waiting for promotion.';
  return isPastSteps(context) || index === 0 ? 'No steps are left to promote.' : null;
}

/** Whether the current step waits for a person, or is one that a person would skip. */
function isWaiting({ rollout }: ArgoContext): boolean {
  return rollout.pauses.length > 0;
}

/** Upstream also promotes a Rollout that is paused by hand, and removes that pause. */
const RESUMES_TEXT = 'The Rollout is paused: this also resumes it.';

function describePromotion(context: ArgoContext): string | null {
  const { isPaused, rollout, index } = context;
  const sentences = isPaused ? [RESUMES_TEXT] : [];
  if (!isWaiting(context) && rollout.strategy !== 'blueGreen')
    sentences.push(`Step ${index} is not paused: the rest of it is skipped.`);
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** The write depends on what the Rollout waits for, as in the command. */
function draftPromotion(context: ArgoContext, rollout: ProgressiveRollout): Draft {
  const { rollout: object, index, total } = context;
  const updated = formatUpdatedRevision(context);
  const kubectl = argoCommand(rollout, 'promote');
  if (object.strategy === 'blueGreen')
    return {
      change: { status: { pauseConditions: null } },
      title: `Promote ${object.name}`,
      steps: [
        `All traffic moves to ${updated}; the pods of ${formatStableRevision(context)} terminate after a delay.`,
      ],
      stays: [STEPS_STAY],
      goal: stepGoal(rollout, null),
      kubectl,
    };
  const next = index < total ? index + 1 : null;
  const plan = object.steps[index];
  return {
    change: { status: promotionOf(object) },
    title: `Promote step ${index} of ${total}`,
    steps: [
      next === null || plan === undefined
        ? `This is the last step: ${updated} gets all pods and becomes stable.`
        : `Step ${next} of ${total} starts: ${uncapitalize(describeStep(plan, object.maxWeight))}.`,
    ],
    stays: [STEPS_STAY],
    goal: stepGoal(rollout, next),
    kubectl,
  };
}

function promotionOf({ pauses, controllerPause, stepIndex, steps, runs }: ArgoRollout): JsonObject {
  const next = Math.min((stepIndex ?? 0) + 1, steps.length);
  const isInconclusive = runs.some(({ role, status }) => role === 'step' && status === 'Inconclusive');
  if (isInconclusive && pauses.length > 0 && controllerPause)
    return { pauseConditions: null, controllerPause: false, currentStepIndex: next };
  return pauses.length > 0 ? { pauseConditions: null } : { pauseConditions: null, currentStepIndex: next };
}

function stepGoal({ step, run }: ProgressiveRollout, to: number | null): RolloutGoal {
  return { until: 'step', from: step.index, to, runId: run.id };
}

/**
 * A promotion of a Rollout that is paused by hand removes that pause as well. It tests the pause and not the version: the
 * controller may have reacted to the first write by then.
 */
function resumeToo({ isPaused, rollout }: ArgoContext, draft: Draft): Draft {
  if (!isPaused) return draft;
  const write = patchWorkload(argoRollouts, rollout, [testUid(rollout), ...RESUMPTION]);
  return {
    ...draft,
    steps: [...draft.steps, 'The Rollout is resumed.'],
    then: { write, needs: patchRight(argoRollouts, rollout) },
  };
}

function describeFullPromotion({ isPaused, rollout, index, total }: ArgoContext): string {
  const skipped =
    rollout.strategy === 'blueGreen'
      ? 'The remaining analysis and pauses are skipped.'
      : total > index
        ? `Steps ${index} to ${total} are skipped, including their pauses and analysis runs.`
        : 'The rest of the last step is skipped.';
  return isPaused ? `${RESUMES_TEXT} ${skipped}` : skipped;
}

function refuseRetry({ rollout, failedExperiment }: ArgoContext): Refusal {
  return rollout.aborted || failedExperiment !== null
    ? null
    : 'Nothing to retry: the rollout was not aborted and no experiment has failed.';
}

function describeRetry({ rollout, failedExperiment, total }: ArgoContext): string | null {
  if (!rollout.aborted)
    return failedExperiment === null
      ? null
      : `Experiment ${failedExperiment.name} runs again from the start; the rollout stays in its step.`;
  if (total <= 1) return null;
  return rollout.steps.some(({ kind }) => kind === 'experiment')
    ? 'The rollout starts again at its first step and creates new experiments.'
    : 'The rollout starts again at its first step.';
}

/** Of an experiment, without a status the controller starts it anew. */
function draftRetry(context: ArgoContext, rollout: ProgressiveRollout): Draft {
  const { rollout: object, failedExperiment, total } = context;
  if (!object.aborted && failedExperiment !== null) {
    const { name } = failedExperiment;
    return {
      of: { resource: experiments, object: failedExperiment },
      change: { status: null },
      title: `Retry experiment ${name}`,
      steps: [`Experiment ${name} restarts its pods and analysis runs.`],
      stays: ['The Rollout, its step and its traffic do not change.'],
      goal: { until: 'retried' },
      kubectl: argoCommand(failedExperiment, 'retry', 'experiment'),
    };
  }
  return {
    change: { status: { abort: false } },
    title: `Retry the rollout of ${object.name}`,
    steps: [
      `The rollout of ${formatUpdatedRevision(context)} starts again${total > 1 ? ` at step 1 of ${total}` : ''}.`,
    ],
    stays: [STEPS_STAY],
    goal: { until: 'retried' },
    kubectl: argoCommand(rollout, 'retry', 'rollout'),
  };
}

function refuseRollback(context: ArgoContext): Refusal {
  const { stage, rollout } = context;
  const refusal = stage === 'aborted' ? null : refuseIdle(context);
  if (refusal === NO_ROLLOUT)
    return {
      reason: `${NO_ROLLOUT} Roll back ${rollout.workload.kind} ${rollout.name} to an earlier revision instead.`,
      instead: 'workload',
    };
  if (refusal !== null) return refusal;
  const { reference } = rollout;
  if (reference !== null && templateOwnerOf(rollout) === null)
    return `The pod template belongs to ${reference.kind} ${reference.name}, a kind that cannot be rolled back.`;
  if (findArgoRevisions(context).stable?.id == null)
    return 'The template of the stable revision is unknown: it is not among the revisions of the Rollout.';
  return null;
}

function describeRollback(context: ArgoContext): string {
  const { reference, paused } = context.rollout;
  const subject = reference === null ? 'The spec' : `${reference.kind} ${reference.name}`;
  const desiredText = `${subject} requests ${formatStableRevision(context)} again. It is already serving, so no steps run.`;
  return paused
    ? `${desiredText} Pods of the other revision stay until the Rollout is resumed.`
    : desiredText;
}
