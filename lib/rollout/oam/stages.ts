import {
  type Course,
  describeUnread,
  describeUnrecognized,
  type ProgressFacts,
  type StageTable,
} from '@/lib/engine/progress';
import { type Deadline, findOverdue, RESUME_WAIT } from '@/lib/engine/waits';
import type { RolloutStep } from '@/lib/api/rollouts';
import { MINUTE } from '@/lib/format/duration';
import { formatUtc, uncapitalize } from '@/lib/format/text';
import { findCondition } from '@/lib/rollout/common-shape';
import { isApproved, isWaiting, type OamContext, type OamStage } from '@/lib/rollout/oam/context';
import { failureCauseOf, obstacleOf, toSentence } from '@/lib/rollout/oam/reported';
import { formatUpdatedRevision } from '@/lib/rollout/oam/revisions';
import { stepStateTexts } from '@/lib/rollout/style-text';

/** The facts of a Rollout by its stage; `step` is the current batch. */
export function findOamFacts(context: OamContext, step: RolloutStep | null): ProgressFacts {
  return STAGES[context.stage](context, step);
}

const STAGES: StageTable<OamStage, OamContext> = {
  new: ({ rollout }) => describeUnread(rollout.createdAt),
  modified: ({ rollout }) => ({
    course: 'unread',
    message: `Changed: ${rollout.target ?? 'another size'} is requested; waiting for the controller.`,
    since: rollout.specWrittenAt,
  }),
  locatingTargetApp: (context) => withObstacle(context, 'preparing', 'Locating the target.'),
  verifyingSpec: (context) => withObstacle(context, 'preparing', 'Verifying sizes and batches.'),
  initializing: (context) => withObstacle(context, 'preparing', 'Claiming the workloads.'),
  rollingInBatches: describeBatches,
  finalising: (context) =>
    withObstacle(context, 'finishing', 'All batches are done; releasing the workloads.'),
  rolloutSucceed: (context) => ({
    course: 'succeeded',
    message: `All pods run ${formatUpdatedRevision(context)}.`,
    since: reachedAt(context, 'RolloutSucceed'),
  }),
  rolloutFailing: (context) => ({
    course: 'failed',
    message: `Failing${formatFailureCause(context)} Releasing the workloads.`,
    since: reachedAt(context, 'RolloutFailing'),
  }),
  rolloutFailed: (context) => {
    const { rollout, index, batches } = context;
    const position = rollout.status.upgradedReplicas > 0 ? ` in batch ${index} of ${batches.length}` : '';
    return {
      course: 'failed',
      message: `Failed${position}${formatFailureCause(context)} Nothing was rolled back.`,
      // Nothing writes to it any more.
      since: rollout.statusWrittenAt,
    };
  },
  rolloutAbandoning: ({ rollout }) => ({
    course: 'preparing',
    message: `The target changed: the current batch is being completed, then the rollout starts again with ${rollout.target ?? 'the new target'}.`,
  }),
  RolloutDeletingState: (context) => ({
    course: revertsOnDeletion(context) ? 'reverting' : 'deleting',
    message: describeDeletion(context),
    since: context.rollout.deletedAt,
  }),
  unknown: ({ rollout }) => describeUnrecognized(rollout.rolling, 'state'),
};

function describeBatches(context: OamContext, step: RolloutStep | null): ProgressFacts {
  const { rollout, index, batches, isPaused } = context;
  const position = `${index} of ${batches.length}`;
  const since = isWaiting(context) ? rollout.statusWrittenAt : null;
  if (isPaused) {
    const message = `Paused in batch ${position}: pods that are already requested still start.`;
    return { course: 'underWay', message, waitsFor: RESUME_WAIT, since };
  }
  const message = `Batch ${position} ${stepStateTexts[step?.state ?? 'unknown']}.`;
  return { course: 'underWay', message, waitsFor: step?.waitsFor ?? null, since };
}

/** The effect of its deletion on the workloads: that depends on its controller. */
export function describeDeletion(context: OamContext): string {
  const { rollout, stage, index } = context;
  const isOver = rollout.status.position?.rolling === 'rolloutSucceed';
  if (stage !== 'RolloutDeletingState' && isOver) return 'The workloads do not change.';
  if (!revertsOnDeletion(context))
    return stage === 'RolloutDeletingState'
      ? 'Being deleted; the workloads do not change.'
      : index === 0
        ? 'The workloads do not change.'
        : 'The pods of both revisions stay.';
  return stage === 'RolloutDeletingState'
    ? 'Being deleted; reverting to the state before the first batch.'
    : 'Reverts to the state before the first batch (revertOnDelete).';
}

/** Of all controllers that existed, only Shiplog's does. */
function revertsOnDeletion({ rollout }: OamContext): boolean {
  return rollout.plan.revertOnDelete && rollout.isOurs && rollout.naming !== 'applicationRevision';
}

/** What blocks it, as its controller reports. */
function withObstacle(context: OamContext, course: Course, message: string): ProgressFacts {
  const obstacle = obstacleOf(context);
  if (obstacle === null) return { course, message };
  const text = toSentence(obstacle);
  return { course, message: `${message} ${text}`, waitsFor: { kind: 'workload', text } };
}

/** ": metric error-rate = 7.4."; "." without a reason. */
function formatFailureCause({ rollout }: OamContext): string {
  const cause = failureCauseOf(rollout);
  return cause === null ? '.' : `: ${cause}.`;
}

function reachedAt({ rollout }: OamContext, type: string): string | null {
  return findCondition(rollout, type)?.lastTransitionTime ?? rollout.statusWrittenAt;
}

/** That its controller appears to be missing; null where it shows activity, or where none is expected. */
export function describeStall(context: OamContext, what = 'No active controller'): string | null {
  const overdue = findOverdue(findDeadlines(context), context.nowMs);
  return overdue === null ? null : `${what}: ${uncapitalize(overdue)}`;
}

/** A running controller reconciles every five seconds; a longer silence is no delay any more. */
const SILENCE_MS = 5 * MINUTE;

/**
 * What a running controller does, whatever the pods do. Derived from the times of fields, since none of these
 * controllers records an observed generation. One that waits for approval is idle under any controller.
 */
export function findDeadlines(context: OamContext): Deadline[] {
  const { rollout, stage, batch, index, isPaused } = context;
  const { specWrittenAt, statusWrittenAt, createdAt, deletedAt, isHeldByFinalizer } = rollout;
  switch (stage) {
    case 'new':
      return expectReconciliation(
        findLater(specWrittenAt, createdAt),
        (time) => `No controller has processed it since ${time}.`,
      );
    case 'modified':
      return expectReconciliation(
        specWrittenAt,
        (time) => `It changed at ${time}, and no controller has processed the change.`,
      );
    case 'RolloutDeletingState':
      // The pods of a rollback may be slow, and are reported.
      return isHeldByFinalizer
        ? expectReconciliation(
            findLater(deletedAt, statusWrittenAt),
            (time) =>
              `It was deleted at ${deletedAt === null ? time : formatUtc(deletedAt)}, and no controller has removed its finalizer.`,
          )
        : [];
    case 'rollingInBatches':
      return batch === 'batchReady' && !isPaused && !isWaiting(context) && isApproved(rollout, index)
        ? expectReconciliation(
            findLater(specWrittenAt, statusWrittenAt),
            (time) => `Batch ${index + 1} is approved, but no controller has reacted since ${time}.`,
          )
        : [];
    default:
      return [];
  }
}

function expectReconciliation(since: string | null, describe: (time: string) => string): Deadline[] {
  return since === null ? [] : [{ since, limitMs: SILENCE_MS, text: describe(formatUtc(since)) }];
}

function findLater(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) < Date.parse(b) ? b : a;
}
