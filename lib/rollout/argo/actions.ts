import {
  argoReleaseRevisions,
  formatStableRevision,
  formatUpdatedRevision,
} from '@/lib/rollout/argo/revisions';
import { isPastSteps, isReleasing, type ArgoContext } from '@/lib/rollout/argo/context';
import { templateOwnerOf } from '@/lib/workloads/argo-rollout/reference';
import { type Refusal, refusalFields } from '@/lib/rollout/refusal';
import { type RolloutAction } from '@/lib/api/rollouts';
import { type RolloutActionName } from '@/lib/api/action-values';

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
const RESUMES_TEXT = 'The Rollout is paused by hand: this resumes it too.';

interface Rule {
  refusal: (context: ArgoContext) => Refusal;
  consequence?: (context: ArgoContext) => string | null;
}

const RULES: Readonly<Record<ArgoActionName, Rule>> = {
  approve: { refusal: refusePromotion, consequence: describePromotion },
  promoteFull: { refusal: refuseFullPromotion, consequence: describeFullPromotion },
  pause: {
    refusal: (context) =>
      refuseDeleted(context) ?? (context.rollout.paused ? 'The Rollout is paused already.' : null),
    consequence: (context) =>
      isReleasing(context) ? null : 'No release is under way: the next one waits before its first step.',
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

/** Why there is no release to act on. */
function refuseNotReleasing(context: ArgoContext): Refusal {
  const { stage, rollout } = context;
  if (isReleasing(context)) return null;
  switch (stage) {
    case 'terminating':
      return 'The Rollout is being deleted.';
    case 'initial':
    case 'behind':
      return 'The controller has yet to read the last change.';
    case 'aborted':
      return 'The release was aborted. Retry it, or roll back.';
    case 'first':
      return 'The first revision starts without steps.';
    case 'unknown':
      return `The Rollout is in the phase ${rollout.phase}, which Shiplog does not know.`;
    default:
      return 'No release is under way.';
  }
}

function refusePromotion(context: ArgoContext): Refusal {
  const { rollout, index } = context;
  const refusal = refuseNotReleasing(context);
  if (refusal !== null) return refusal;
  if (rollout.promoteFull) return 'It is being promoted fully already.';
  if (rollout.strategy === 'blueGreen')
    return isWaiting(context) ? null : 'The new revision does not wait for promotion.';
  if (isPastSteps(context) || index === 0) return 'There is no step left to promote.';
  return null;
}

function describePromotion(context: ArgoContext): string | null {
  const { rollout, index } = context;
  const skips = !isWaiting(context) && rollout.strategy !== 'blueGreen';
  const sentences = [
    ...(rollout.paused ? [RESUMES_TEXT] : []),
    ...(skips ? [`Step ${index} does not wait: what is left of it is skipped.`] : []),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

function refuseFullPromotion(context: ArgoContext): Refusal {
  const { rollout, stage } = context;
  if (stage === 'aborted') return 'The release was aborted. Retry it first.';
  const refusal = refuseNotReleasing(context);
  if (refusal !== null) return refusal;
  return rollout.promoteFull ? 'It is being promoted fully already.' : null;
}

function describeFullPromotion({ rollout, index, total }: ArgoContext): string {
  const skipped =
    rollout.strategy === 'blueGreen'
      ? 'What is left of its analysis and its waits is skipped.'
      : total > index
        ? `Steps ${index} to ${total} are skipped, with their pauses and analyses.`
        : 'What is left of the last step is skipped.';
  return rollout.paused ? `${RESUMES_TEXT} ${skipped}` : skipped;
}

function refuseAbort(context: ArgoContext): Refusal {
  if (context.stage === 'aborted') return 'The release was aborted already.';
  return refuseNotReleasing(context);
}

function describeAbort(context: ArgoContext): string {
  return `The spec keeps asking for ${formatUpdatedRevision(context)}. Roll back instead to take that out of the spec too.`;
}

function refuseRetry(context: ArgoContext): Refusal {
  const { rollout, failedExperiment } = context;
  const refusal = refuseDeleted(context);
  if (refusal !== null || rollout.aborted || failedExperiment !== null) return refusal;
  return 'Nothing was aborted and no experiment has failed, so there is nothing to retry.';
}

function describeRetry({ rollout, failedExperiment, total }: ArgoContext): string | null {
  if (!rollout.aborted)
    return failedExperiment === null
      ? null
      : `Experiment ${failedExperiment.name} runs again from its beginning; the release stays in its step.`;
  if (total <= 1) return null;
  return rollout.steps.some(({ kind }) => kind === 'experiment')
    ? 'The release begins again with its first step, and makes new experiments for those that ran.'
    : 'The release begins again with its first step.';
}

function refuseRollback(context: ArgoContext): Refusal {
  const { stage, rollout } = context;
  if (stage !== 'aborted') {
    const refusal = refuseNotReleasing(context);
    if (refusal !== null)
      return refusal === 'No release is under way.'
        ? {
            reason: `${refusal} Roll ${rollout.workload.kind} ${rollout.name} back to one of its revisions instead.`,
            instead: 'workload',
          }
        : refusal;
  }
  const { reference } = rollout;
  if (reference !== null && templateOwnerOf(rollout) === null)
    return `The template is that of ${reference.kind} ${reference.name}, which is of no kind that Argo Rollouts takes back.`;
  if (argoReleaseRevisions(context).stable?.id == null)
    return 'The stable revision is not among those of the Rollout, so its template is not known.';
  return null;
}

function describeRollback(context: ArgoContext): string {
  const { reference, paused } = context.rollout;
  const subject = reference === null ? 'The spec' : `${reference.kind} ${reference.name}`;
  const desiredText = `${subject} asks for ${formatStableRevision(context)} again, which serves now, so no step runs.`;
  return paused
    ? `${desiredText} Pods of the other revision stay until the Rollout is resumed.`
    : desiredText;
}
