import { findArgoRevisions, formatStableRevision, formatUpdatedRevision } from '@/lib/rollout/argo/revisions';
import { isPastSteps, isReleasing, type ArgoContext } from '@/lib/rollout/argo/context';
import { templateOwnerOf } from '@/lib/workloads/argo-rollout/reference';
import { type Refusal, refusalFields } from '@/lib/rollout/refusal';
import type { RolloutAction } from '@/lib/api/rollouts';
import type { RolloutActionName } from '@/lib/api/action-values';

/** The actions of Argo Rollouts; it has no jump, and cannot be disabled. */
export const argoActionNames = [
  'approve',
  'promoteFull',
  'pause',
  'resume',
  'abort',
  'retry',
  'restart',
  'rollback',
] as const satisfies readonly RolloutActionName[];
export type ArgoActionName = (typeof argoActionNames)[number];

/** Upstream also promotes a Rollout that is paused by hand, and removes that pause. */
const RESUMES_TEXT = 'The Rollout is paused: this also resumes it.';

interface Rule {
  refusal: (context: ArgoContext) => Refusal;
  consequence?: (context: ArgoContext) => string | null;
}

const RULES: Readonly<Record<ArgoActionName, Rule>> = {
  approve: { refusal: refusePromotion, consequence: describePromotion },
  promoteFull: { refusal: refuseFullPromotion, consequence: describeFullPromotion },
  pause: {
    refusal: (context) =>
      refuseDeleted(context) ?? (context.rollout.paused ? 'The Rollout is already paused.' : null),
    consequence: (context) =>
      isReleasing(context) ? null : 'No rollout is in progress: the next one waits before its first step.',
  },
  resume: {
    refusal: (context) =>
      refuseDeleted(context) ?? (context.rollout.paused ? null : 'The Rollout is not paused.'),
  },
  abort: { refusal: refuseAbort, consequence: describeAbort },
  retry: {
    refusal: refuseRetry,
    consequence: describeRetry,
  },
  restart: {
    refusal: refuseDeleted,
    consequence: ({ isUnderWay }) => (isUnderWay ? 'Pods of both revisions restart.' : null),
  },
  rollback: { refusal: refuseRollback, consequence: describeRollback },
};

/** Every action of a Rollout, with whether it is possible now and why not. */
export function actionsOf(context: ArgoContext): RolloutAction[] {
  return argoActionNames.map((name) => {
    const rule = RULES[name];
    const refusal = rule.refusal(context);
    return {
      name,
      ...refusalFields(refusal),
      consequence: refusal === null ? (rule.consequence?.(context) ?? null) : null,
      steps: null,
    };
  });
}

/** Whether the current step waits for a person, or is one that a person would skip. */
function isWaiting({ rollout }: ArgoContext): boolean {
  return rollout.pauses.length > 0;
}

function refuseDeleted({ stage }: ArgoContext): Refusal {
  return stage === 'terminating' ? 'The Rollout is being deleted.' : null;
}

/** Why there is no rollout to act on. */
function refuseNotReleasing(context: ArgoContext): Refusal {
  const { stage, rollout } = context;
  if (isReleasing(context)) return null;
  switch (stage) {
    case 'terminating':
      return 'The Rollout is being deleted.';
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
      return 'No rollout is in progress.';
  }
}

function refusePromotion(context: ArgoContext): Refusal {
  const { rollout, index } = context;
  const refusal = refuseNotReleasing(context);
  if (refusal !== null) return refusal;
  if (rollout.promoteFull) return 'A full promotion is already in progress.';
  if (rollout.strategy === 'blueGreen')
    return isWaiting(context) ? null : 'The new revision is not waiting for promotion.';
  if (isPastSteps(context) || index === 0) return 'No steps are left to promote.';
  return null;
}

function describePromotion(context: ArgoContext): string | null {
  const { rollout, index } = context;
  const skips = !isWaiting(context) && rollout.strategy !== 'blueGreen';
  const sentences = [
    ...(rollout.paused ? [RESUMES_TEXT] : []),
    ...(skips ? [`Step ${index} is not paused: the rest of it is skipped.`] : []),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

function refuseFullPromotion(context: ArgoContext): Refusal {
  const { rollout, stage } = context;
  if (stage === 'aborted') return 'The rollout was aborted. Retry it first.';
  const refusal = refuseNotReleasing(context);
  if (refusal !== null) return refusal;
  return rollout.promoteFull ? 'A full promotion is already in progress.' : null;
}

function describeFullPromotion({ rollout, index, total }: ArgoContext): string {
  const skipped =
    rollout.strategy === 'blueGreen'
      ? 'The remaining analysis and pauses are skipped.'
      : total > index
        ? `Steps ${index} to ${total} are skipped, including their pauses and analysis runs.`
        : 'The rest of the last step is skipped.';
  return rollout.paused ? `${RESUMES_TEXT} ${skipped}` : skipped;
}

function refuseAbort(context: ArgoContext): Refusal {
  if (context.stage === 'aborted') return 'The rollout is already aborted.';
  return refuseNotReleasing(context);
}

function describeAbort(context: ArgoContext): string {
  return `The spec still requests ${formatUpdatedRevision(context)}. Roll back instead to revert the spec, too.`;
}

function refuseRetry(context: ArgoContext): Refusal {
  const { rollout, failedExperiment } = context;
  const refusal = refuseDeleted(context);
  if (refusal !== null || rollout.aborted || failedExperiment !== null) return refusal;
  return 'Nothing to retry: the rollout was not aborted and no experiment has failed.';
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
  if (stage !== 'aborted') {
    const refusal = refuseNotReleasing(context);
    if (refusal !== null)
      return refusal === 'No rollout is in progress.'
        ? {
            reason: `${refusal} Roll back ${rollout.workload.kind} ${rollout.name} to an earlier revision instead.`,
            instead: 'workload',
          }
        : refusal;
  }
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
