import 'server-only';
import type { Action } from '@/lib/api/action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutStep } from '@/lib/api/rollouts';
import { isUnderWay } from '@/lib/engine/progress';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { stepNoun } from '@/lib/rollout/style-text';
import { capitalize, formatCount } from '@/lib/format/text';
import {
  FOLLOW_MS,
  isTooLate,
  type Assessment,
  NEVER_ARRIVED,
  NOT_VISIBLE_YET,
  type SentWrite,
  type Snapshot,
} from '@/server/actions/completion';
import type { Expectation } from '@/server/audit/audit';
import type { RolloutView } from '@/server/views/rollout-view';

type Goal = NonNullable<Expectation['goal']>;

/**
 * The state of an action on a rollout, from the rollout's current state alone. `done` and `failed` are final.
 */
export function assessRolloutCompletion(
  action: Action,
  { goal, generation }: Pick<Expectation, 'goal' | 'generation'>,
  sent: SentWrite,
  { view, now, observedAt }: Snapshot<RolloutView>,
): Assessment {
  const started = Date.parse(action.startedAt);
  if (view === undefined || goal == null) {
    return goal?.until === 'deleted'
      ? assess('done', `${action.name} was deleted.`)
      : assess('failed', `${action.name} was deleted before this completed.`);
  }
  const { rollout } = view;
  const { object } = view.input;
  if (now - started > FOLLOW_MS)
    return assess('failed', `Not completed after 24 hours: ${rollout.message} Shiplog stopped tracking it.`);
  const hasMoved = object.resourceVersion !== goal.before && object.generation >= generation;
  const isObserved = (object.observedGeneration ?? 0) >= generation;
  if (hasMoved && isReached[goal.until](rollout, goal, isObserved))
    return assess('done', completionMessage(rollout, goal), progressOf(rollout, goal));
  const isShown = hasMoved && isWriteShown(rollout, object, goal);
  if (!sent.isSure && !isShown)
    return isTooLate(sent.at, observedAt)
      ? assess('failed', unansweredText(rollout, goal, hasMoved))
      : assess('accepted', NOT_VISIBLE_YET);
  if (!hasMoved) return assess('accepted', 'Applied; waiting for the cluster to report it.');
  const obstacle = obstacleOf(rollout, goal);
  if (obstacle !== null) return assess('failed', obstacle, progressOf(rollout, goal));
  return assess('following', messageOf(rollout, goal), progressOf(rollout, goal));
}

/** Whether more than the rollout's controller must have written the object. */
function isWriteShown(rollout: ProgressiveRollout, { deletedAt }: RolloutObject, goal: Goal): boolean {
  if (goal.until === 'deleted') return deletedAt !== null;
  return goal.changesSpec === true || (goal.until === 'step' && isStepTaken(rollout, goal));
}

/**
 * The controller alone may have written the object: then only time proves that the write is not pending any
 * more.
 */
function unansweredText({ message }: ProgressiveRollout, goal: Goal, hasMoved: boolean): string {
  if (goal.isHalfDone === true)
    return `The first of two requests was applied, the second never arrived. ${message}`;
  return hasMoved
    ? `The API server did not respond; the change may or may not have been applied. ${message}`
    : NEVER_ARRIVED;
}

/** The rollout that rolls the workload back runs until it has completed that. */
export function followUntilReleased(assessment: Assessment, view: RolloutView | undefined): Assessment {
  if (assessment.state !== 'done' || view === undefined) return assessment;
  const { state, message: current } = view.rollout;
  if (!isUnderWay(state) && state !== 'starting' && state !== 'rollingBack') return assessment;
  const message = `The template is restored; the rollout continues: ${current}`;
  return { ...assessment, state: 'following', message };
}

/** Whether a goal is reached; `isObserved`: the controller has observed the write. */
const isReached: Readonly<
  Record<Goal['until'], (rollout: ProgressiveRollout, goal: Goal, isObserved: boolean) => boolean>
> = {
  observed: (_rollout, _goal, isObserved) => isObserved,
  disabled: ({ state }) => state === 'disabled',
  enabled: ({ state }, _goal, isObserved) => state !== 'disabled' && state !== 'disabling' && isObserved,
  aborted: ({ state }) => state === 'failed' || state === 'rolledBack',
  retried: ({ state }) => state !== 'failed' && state !== 'starting',
  written: () => true,
  // It exists.
  deleted: () => false,
  step: (rollout, goal) => rollout.run.id === goal.runId && isStepReached(rollout, goal),
};

/** The pods of the step are updated, or the rollout has moved past it. */
function isStepReached(rollout: ProgressiveRollout, goal: Goal): boolean {
  const { state, step } = rollout;
  if (state === 'completed') return true;
  if (goal.to === null || !isStepTaken(rollout, goal)) return false;
  if (state === 'completing') return true;
  if (step.index !== goal.to) {
    const isOnTheWay = (goal.from ?? 0) < step.index && step.index < goal.to;
    return !isOnTheWay && (step.index > goal.to || step.index !== goal.from);
  }
  return (
    step.state === 'waiting' || step.state === 'pausing' || step.state === 'approved' || step.state === 'done'
  );
}

/** Whether the controller has moved past the step, or started it again. */
function isStepTaken({ step }: ProgressiveRollout, goal: Goal): boolean {
  if (step.next !== null) return false;
  return step.index !== goal.from || goal.to === goal.from;
}

/** Why the end can't come any more; null while it can. */
function obstacleOf({ state, run, message }: ProgressiveRollout, { until, runId: of }: Goal): string | null {
  if (state === 'terminating' && until !== 'deleted') return `The rollout is being deleted: ${message}`;
  if (until !== 'step') return null;
  switch (state) {
    case 'rollingBack':
    case 'rolledBack':
    case 'failed':
      return `The rollout ended before this completed. ${message}`;
    case 'disabling':
    case 'disabled':
      return `The rollout was disabled before this completed. ${message}`;
    default:
      return run.id === of ? null : `Another rollout has replaced it. ${message}`;
  }
}

function messageOf(rollout: ProgressiveRollout, goal: Goal): string {
  const isPending = goal.until === 'step' && rollout.state !== 'completing' && !isStepTaken(rollout, goal);
  if (!isPending) return rollout.message;
  return `Applied; waiting for the controller. ${rollout.message}`;
}

function completionMessage(rollout: ProgressiveRollout, goal: Goal): string {
  if (goal.until !== 'step') return rollout.message;
  const step = stepOf(rollout, goal);
  if (step === undefined || rollout.state === 'completed' || rollout.step.index !== goal.to)
    return rollout.message;
  const { planned, ready } = step.replicas;
  if (planned === null || ready === null) return rollout.message;
  return `${capitalize(stepNoun(rollout))} ${step.index} of ${rollout.step.total} done: ${ready} of ${formatCount(planned, 'pod')} ready.`;
}

function stepOf({ steps }: ProgressiveRollout, { to }: Goal): RolloutStep | undefined {
  return to === null ? undefined : steps[to - 1];
}

function progressOf(rollout: ProgressiveRollout, goal: Goal): Assessment['progress'] {
  if (goal.until !== 'step') return null;
  const { desired, updated, ready } = rollout.replicas;
  const planned = stepOf(rollout, goal)?.replicas.planned ?? desired;
  if (planned === null || updated === null || ready === null) return null;
  return { desired: planned, updated, ready };
}

function assess(
  state: Assessment['state'],
  message: string,
  progress: Assessment['progress'] = null,
): Assessment {
  return { state, message, recordedAs: null, progress };
}
