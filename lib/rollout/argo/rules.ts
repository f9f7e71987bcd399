import {
  type ActionTable,
  DELETED,
  NEXT_WAITS,
  NO_ROLLOUT,
  type Refusal,
  refuseDeleted,
  refuseSecondPause,
  refuseUnpaused,
} from '@/lib/engine/allowed';
import { type ArgoContext, isPastSteps, isReleasing } from '@/lib/rollout/argo/context';
import { findArgoRevisions, formatStableRevision, formatUpdatedRevision } from '@/lib/rollout/argo/revisions';
import { templateOwnerOf } from '@/lib/workloads/argo-rollout/reference';

/** The actions of Argo Rollouts; it has no jump, and cannot be disabled. */
export const argoActions: ActionTable<ArgoContext> = {
  approve: {
    refusals: [refuseIdle, refusePromoted, refusePromotion],
    consequence: describePromotion,
  },
  promoteFull: {
    refusals: [
      ({ stage }) => (stage === 'aborted' ? 'The rollout was aborted. Retry it first.' : null),
      refuseIdle,
      refusePromoted,
    ],
    consequence: describeFullPromotion,
  },
  pause: {
    refusals: [refuseDeleted, refuseSecondPause],
    consequence: (context) => (isReleasing(context) ? null : NEXT_WAITS),
  },
  resume: { refusals: [refuseDeleted, refuseUnpaused] },
  abort: {
    refusals: [({ stage }) => (stage === 'aborted' ? 'The rollout is already aborted.' : null), refuseIdle],
    consequence: (context) =>
      `The spec still requests ${formatUpdatedRevision(context)}. Roll back instead to revert the spec, too.`,
  },
  retry: { refusals: [refuseDeleted, refuseRetry], consequence: describeRetry },
  restart: {
    refusals: [refuseDeleted],
    consequence: ({ isUnderWay }) => (isUnderWay ? 'Pods of both revisions restart.' : null),
  },
  rollback: { refusals: [refuseRollback], consequence: describeRollback },
};

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
