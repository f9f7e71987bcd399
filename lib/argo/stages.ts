import {
  describeUnread,
  describeUnrecognized,
  NO_ROLLOUT_YET,
  type ProgressFacts,
  type StageTable,
} from '@/lib/engine/progress';
import {
  type Deadline,
  expectEndOfPause,
  expectFirstReading,
  expectReaction,
  expectReadingOfChange,
  RESUME_WAIT,
} from '@/lib/engine/waits';
import type { RolloutStep } from '@/lib/api/rollouts';
import { capitalize, formatAll, uncapitalize } from '@/lib/format/text';
import {
  type ArgoContext,
  type ArgoStage,
  formatStableRevision,
  formatUpdatedRevision,
  isPastSteps,
  isReleasing,
} from '@/lib/argo/context';
import { describeStep } from '@/lib/argo/step';
import { findCurrentPauseEndMs } from '@/lib/argo/steps';
import { findCondition } from '@/lib/rollout/common-shape';
import { stepStateTexts } from '@/lib/rollout/style-text';

/** The facts of a Rollout by its stage; `step` is the current one. */
export function findArgoFacts(context: ArgoContext, step: RolloutStep | null): ProgressFacts {
  return STAGES[context.stage](context, step);
}

const STAGES: StageTable<ArgoStage, ArgoContext> = {
  terminating: ({ rollout }) => ({
    course: 'deleting',
    message: 'Being deleted together with its pods.',
    since: rollout.deletedAt,
  }),
  initial: ({ rollout }) => describeUnread(rollout.createdAt),
  behind: ({ rollout }) => ({
    course: 'unread',
    message: 'Waiting for the controller to process the last change.',
    since: rollout.specWrittenAt,
  }),
  first: () => ({ course: 'underWay', message: 'The first revision starts without steps.' }),
  idle: () => NO_ROLLOUT_YET,
  inProgress: (context, step) => ({
    ...describeInProgress(context, step),
    since: context.rollout.pauses[0]?.since ?? null,
  }),
  completed: (context) => {
    const { phase, message } = context.rollout;
    const completed =
      findCondition(context.rollout, 'Completed') ?? findCondition(context.rollout, 'Healthy');
    return {
      course: 'succeeded',
      message: `${capitalize(formatUpdatedRevision(context))} is stable${phase === 'Healthy' || message === null ? '' : `: ${message}`}.`,
      since: completed?.status === 'True' ? completed.lastTransitionTime : null,
    };
  },
  aborted: (context) => {
    const stable = formatStableRevision(context);
    const since = context.rollout.abortedAt;
    if (context.rollout.statedPhase !== 'Degraded')
      return { course: 'reverting', message: `Aborting: traffic returns to ${stable}.`, since };
    const message = `Aborted${abortCause(context)}: ${stable} is serving; the spec still requests ${formatUpdatedRevision(context)}.`;
    return { course: 'failed', message, since };
  },
  degraded: (context) => {
    const { rollout, isUnderWay } = context;
    const cause = (rollout.message ?? 'Argo Rollouts reports no reason').replace(/\.$/, '');
    const stable = isUnderWay ? ` ${capitalize(formatStableRevision(context))} is stable.` : '';
    return {
      course: 'failed',
      message: `Degraded: ${cause}.${stable}`,
      since: findCondition(rollout, 'Progressing')?.lastTransitionTime ?? null,
    };
  },
  unknown: ({ rollout }) => describeUnrecognized(rollout.phase),
};

/** " by kubectl-argo-rollouts", " (ReplicaSet … has timed out progressing)"; empty where no cause is reported. */
function abortCause({ rollout: { abortReason, abortedBy } }: ArgoContext): string {
  if (abortReason !== null) return ` (${abortReason})`;
  return abortedBy === null ? '' : ` by ${abortedBy}`;
}

function describeInProgress(context: ArgoContext, step: RolloutStep | null): ProgressFacts {
  const { rollout, index, total, isPaused } = context;
  const isBlueGreen = rollout.strategy === 'blueGreen';
  const updated = formatUpdatedRevision(context);
  if (isPaused) {
    const position = isBlueGreen || total === 0 ? '' : ` in step ${index} of ${total}`;
    const message = `Paused${position}: nothing continues until it is resumed.`;
    return { course: 'underWay', message, waitsFor: RESUME_WAIT };
  }
  if (rollout.promoteFull)
    return {
      course: 'finishing',
      message: `Full promotion: ${updated} gets all pods; the remaining steps are skipped.`,
    };
  if (isBlueGreen) return describeBlueGreen(context, step);
  if (total === 0)
    return {
      course: 'underWay',
      message: `${capitalize(updated)} replaces ${formatStableRevision(context)}.`,
    };
  if (isPastSteps(context))
    return {
      course: 'finishing',
      message: `${formatAll(total, 'step')} are done; ${updated} gets the remaining pods.`,
    };
  return {
    course: 'underWay',
    message: `Step ${index} of ${total}${describeCurrentStep(context, step)}.`,
    waitsFor: step?.waitsFor ?? null,
  };
}

function describeCurrentStep({ rollout, index }: ArgoContext, step: RolloutStep | null): string {
  if (step?.state === 'waiting') return ' is waiting for promotion';
  if (step?.state === 'approved') return ` ${stepStateTexts.approved}`;
  const plan = rollout.steps[index - 1];
  return plan === undefined ? '' : `: ${uncapitalize(describeStep(plan, rollout.maxWeight))}`;
}

function describeBlueGreen(context: ArgoContext, step: RolloutStep | null): ProgressFacts {
  const updated = capitalize(formatUpdatedRevision(context));
  const waitsFor = step?.waitsFor ?? null;
  if (step?.state === 'approved') {
    const message = `${updated} is serving; the pods of ${formatStableRevision(context)} are kept for now.`;
    return { course: 'finishing', message, waitsFor };
  }
  return { course: 'underWay', message: `${updated} ${describePreview(step)}.`, waitsFor };
}

function describePreview(step: RolloutStep | null): string {
  switch (step?.state) {
    case 'waiting':
      return 'runs as a preview and is waiting for promotion';
    case 'pausing':
      return 'runs as a preview and is promoted automatically';
    case 'analysing':
      return 'runs as a preview while its analysis runs';
    default:
      return 'starts as a preview';
  }
}

/** What a running controller does within seconds: it reads a change, and the end of a wait. */
export function findDeadlines(context: ArgoContext): Deadline[] {
  const { rollout, stage, index, isPaused, observedMs } = context;
  const deadlines: Deadline[] = [];
  if (stage === 'initial') deadlines.push(expectFirstReading(rollout.createdAt));
  if (rollout.isBehind) deadlines.push(expectReadingOfChange(rollout.specWrittenAt));
  if (!isReleasing(context)) return deadlines;
  const [end, reaction] = expectEndOfPause(index, findCurrentPauseEndMs(context));
  deadlines.push(end);
  if (isPaused) return deadlines;
  deadlines.push(reaction);
  const isPause = rollout.steps[index - 1]?.kind === 'pause';
  // Its pause was removed, and the controller has not started the next step yet.
  if (isPause && rollout.pauses.length === 0 && rollout.controllerPause && !rollout.promoteFull)
    deadlines.push(
      expectReaction(observedMs, `Step ${index} was promoted, but the controller has not reacted.`),
    );
  return deadlines;
}
