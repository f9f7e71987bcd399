import { releaseRevisions, stableWord, updatedWord } from '@/lib/rollout/argo/revisions';
import { isPastSteps, isReleasing, type Situation } from '@/lib/rollout/argo/situation';
import { holderOf } from '@/lib/workloads/argo-rollout/reference';
import { type Refusal, tellRefusal } from '@/lib/rollout/refusal';
import { type RolloutAction, type RolloutActionName } from '@/lib/rollout/rollout';

/** Those that Argo Rollouts has; it knows no jump, and nothing that switches it off. */
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

/** Upstream promotes what is paused by hand too, and takes that pause away with it. */
const RESUMES = 'The Rollout is paused by hand: this resumes it too.';

interface Rule {
  refusal: (situation: Situation) => Refusal;
  consequence?: (situation: Situation) => string | null;
}

const RULES: Readonly<Record<ArgoActionName, Rule>> = {
  approve: { refusal: refusePromotion, consequence: sayPromotion },
  promoteFull: { refusal: refuseFullPromotion, consequence: sayFullPromotion },
  pause: {
    refusal: (situation) =>
      gone(situation) ?? (situation.rollout.paused ? 'The Rollout is paused already.' : null),
    consequence: (situation) =>
      isReleasing(situation) ? null : 'No release is under way: the next one waits before its first step.',
  },
  resume: {
    refusal: (situation) =>
      gone(situation) ?? (situation.rollout.paused ? null : 'The Rollout is not paused.'),
  },
  abort: { refusal: refuseAbort, consequence: sayAbort },
  retry: {
    refusal: refuseRetry,
    consequence: sayRetry,
  },
  restart: {
    refusal: gone,
    consequence: ({ isUnderWay }) => (isUnderWay ? 'Pods of both revisions restart.' : null),
  },
  rollback: { refusal: refuseRollback, consequence: sayRollback },
};

/** Every action of a Rollout, with whether it can be done now and why not. */
export function actionsOf(situation: Situation): RolloutAction[] {
  return argoActionNames.map((name) => {
    const rule = RULES[name];
    const refusal = rule.refusal(situation);
    return {
      name,
      ...tellRefusal(refusal),
      consequence: refusal === null ? (rule.consequence?.(situation) ?? null) : null,
      steps: null,
    };
  });
}

/** Whether the step at hand is one that waits for somebody, or that a person would skip. */
export function isWaiting({ rollout }: Situation): boolean {
  return rollout.pauses.length > 0;
}

function gone({ stage }: Situation): Refusal {
  return stage === 'terminating' ? 'The Rollout is being deleted.' : null;
}

/** Why there is no release that one could act on. */
function notReleasing(situation: Situation): Refusal {
  const { stage, rollout } = situation;
  if (isReleasing(situation)) return null;
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

function refusePromotion(situation: Situation): Refusal {
  const { rollout, index } = situation;
  const refusal = notReleasing(situation);
  if (refusal !== null) return refusal;
  if (rollout.promoteFull) return 'It is being promoted fully already.';
  if (rollout.strategy === 'blueGreen')
    return isWaiting(situation) ? null : 'The new revision does not wait for promotion.';
  if (isPastSteps(situation) || index === 0) return 'There is no step left to promote.';
  return null;
}

function sayPromotion(situation: Situation): string | null {
  const { rollout, index } = situation;
  const skips = !isWaiting(situation) && rollout.strategy !== 'blueGreen';
  const said = [
    ...(rollout.paused ? [RESUMES] : []),
    ...(skips ? [`Step ${index} does not wait: what is left of it is skipped.`] : []),
  ];
  return said.length === 0 ? null : said.join(' ');
}

function refuseFullPromotion(situation: Situation): Refusal {
  const { rollout, stage } = situation;
  if (stage === 'aborted') return 'The release was aborted. Retry it first.';
  const refusal = notReleasing(situation);
  if (refusal !== null) return refusal;
  return rollout.promoteFull ? 'It is being promoted fully already.' : null;
}

function sayFullPromotion({ rollout, index, total }: Situation): string {
  const skipped =
    rollout.strategy === 'blueGreen'
      ? 'What is left of its analysis and its waits is skipped.'
      : total > index
        ? `Steps ${index} to ${total} are skipped, with their pauses and analyses.`
        : 'What is left of the last step is skipped.';
  return rollout.paused ? `${RESUMES} ${skipped}` : skipped;
}

function refuseAbort(situation: Situation): Refusal {
  if (situation.stage === 'aborted') return 'The release was aborted already.';
  return notReleasing(situation);
}

function sayAbort(situation: Situation): string {
  return `The spec keeps asking for ${updatedWord(situation)}. Roll back instead to take that out of the spec too.`;
}

function refuseRetry(situation: Situation): Refusal {
  const { rollout, failedExperiment } = situation;
  const refusal = gone(situation);
  if (refusal !== null || rollout.aborted || failedExperiment !== null) return refusal;
  return 'Nothing was aborted and no experiment has failed, so there is nothing to retry.';
}

function sayRetry({ rollout, failedExperiment, total }: Situation): string | null {
  if (!rollout.aborted)
    return failedExperiment === null
      ? null
      : `Experiment ${failedExperiment.name} runs again from its beginning; the release stays in its step.`;
  if (total <= 1) return null;
  return rollout.steps.some(({ kind }) => kind === 'experiment')
    ? 'The release begins again with its first step, and makes new experiments for those that ran.'
    : 'The release begins again with its first step.';
}

function refuseRollback(situation: Situation): Refusal {
  const { stage, rollout } = situation;
  if (stage !== 'aborted') {
    const refusal = notReleasing(situation);
    if (refusal !== null)
      return refusal === 'No release is under way.'
        ? {
            reason: `${refusal} Roll ${rollout.workload.kind} ${rollout.name} back to one of its revisions instead.`,
            instead: 'workload',
          }
        : refusal;
  }
  const { reference } = rollout;
  if (reference !== null && holderOf(rollout) === null)
    return `The template is that of ${reference.kind} ${reference.name}, which is of no kind that Argo Rollouts takes back.`;
  if (releaseRevisions(situation).stable?.id == null)
    return 'The stable revision is not among those of the Rollout, so its template is not known.';
  return null;
}

function sayRollback(situation: Situation): string {
  const { reference, paused } = situation.rollout;
  const who = reference === null ? 'The spec' : `${reference.kind} ${reference.name}`;
  const asks = `${who} asks for ${stableWord(situation)} again, which serves now, so no step runs.`;
  return paused ? `${asks} Pods of the other revision stay until the Rollout is resumed.` : asks;
}
