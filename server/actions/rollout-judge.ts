import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type Rollout, type RolloutState, type RolloutStep } from '@/lib/rollout/rollout';
import { type RolloutObject } from '@/lib/rollout/system';
import { stepNoun } from '@/lib/rollout/style-word';
import { capitalised, count } from '@/lib/workloads/words';
import {
  FOLLOW_MS,
  isTooLate,
  type Judgement,
  NEVER_ARRIVED,
  NOT_SO_FAR,
  type Sent,
} from '@/server/actions/judge';
import { type Expectation } from '@/server/audit';

/** What the follower knows of a rollout when it looks. */
export interface RolloutSight {
  /** Undefined when none of that uid is there. */
  rollout: Rollout | undefined;
  object: RolloutObject | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** When the cache last heard from the API server. */
  observedAt: number | null;
}

type Goal = NonNullable<Expectation['goal']>;

/** How an action on a rollout stands, from its present state alone. `done` and `failed` are final. */
export function judgeRollout(
  action: Action,
  { goal, generation }: Pick<Expectation, 'goal' | 'generation'>,
  sent: Sent,
  { rollout, object, now, observedAt }: RolloutSight,
): Judgement {
  const started = Date.parse(action.startedAt);
  if (goal?.until === 'deleted' && (rollout === undefined || object === undefined))
    return judged('done', `${action.name} is deleted.`);
  if (rollout === undefined || object === undefined || goal == null)
    return judged('failed', `${action.name} was deleted before this was complete.`);
  if (now - started > FOLLOW_MS)
    return judged('failed', `Not complete after 24 hours: ${rollout.message} Shiplog stopped following it.`);
  const hasMoved = object.resourceVersion !== goal.before && object.generation >= generation;
  if (hasMoved && isReached(rollout, object, goal, generation))
    return judged('done', endOf(rollout, goal), progressOf(rollout, goal));
  const isShown = hasMoved && isWriteShown(rollout, object, goal);
  if (!sent.isSure && !isShown) return unarrived(rollout, goal, hasMoved, isTooLate(sent.at, observedAt));
  if (!hasMoved) return judged('accepted', 'Written; on its way back to Shiplog.');
  const obstacle = obstacleOf(rollout, goal);
  if (obstacle !== null) return judged('failed', obstacle, progressOf(rollout, goal));
  return judged('following', wordsOf(rollout, goal), progressOf(rollout, goal));
}

/** Whether what moved the object can't have been its controller alone. */
function isWriteShown(rollout: Rollout, { deletedAt }: RolloutObject, goal: Goal): boolean {
  if (goal.until === 'deleted') return deletedAt !== null;
  return goal.changesSpec === true || (goal.until === 'step' && isTaken(rollout, goal));
}

/** What moved the object may have been its controller: then only time can tell that the write is not on its way any more. */
function unarrived({ message }: Rollout, goal: Goal, hasMoved: boolean, isLate: boolean): Judgement {
  if (!isLate) return judged('accepted', NOT_SO_FAR);
  if (goal.isHalfDone === true)
    return judged('failed', `The first of two writes was done, the second never arrived. ${message}`);
  return judged(
    'failed',
    hasMoved
      ? `The API server did not answer; whether the write was done is not known. ${message}`
      : NEVER_ARRIVED,
  );
}

/** The rollout that brought a release back to its workload goes on until it is done with that. */
export function untilReleased(judgement: Judgement, rollout: Rollout | undefined): Judgement {
  if (judgement.state !== 'done' || rollout === undefined || !isUnderWay(rollout.state)) return judgement;
  return {
    ...judgement,
    state: 'following',
    message: `The template is back; the rollout goes on: ${rollout.message}`,
  };
}

function isUnderWay(state: RolloutState): boolean {
  return ['starting', 'progressing', 'waiting', 'paused', 'stalled', 'rollingBack', 'completing'].includes(
    state,
  );
}

function isReached(rollout: Rollout, object: RolloutObject, goal: Goal, generation: number): boolean {
  const { state } = rollout;
  switch (goal.until) {
    case 'observed':
      return (object.observedGeneration ?? 0) >= generation;
    case 'disabled':
      return state === 'disabled';
    case 'enabled':
      return state !== 'disabled' && state !== 'disabling' && (object.observedGeneration ?? 0) >= generation;
    case 'aborted':
      return state === 'failed' || state === 'rolledBack';
    case 'retried':
      return state !== 'failed' && state !== 'starting';
    case 'written':
      return true;
    case 'deleted':
      // It is there.
      return false;
    case 'step':
      return rollout.release.id === goal.release && isStepReached(rollout, goal);
    default:
      return goal.until satisfies never;
  }
}

/** The pods of the step are there, or the release has gone on from it. */
function isStepReached(rollout: Rollout, goal: Goal): boolean {
  const { state, step } = rollout;
  if (state === 'completed') return true;
  if (goal.to === null || !isTaken(rollout, goal)) return false;
  if (state === 'completing') return true;
  if (step.index !== goal.to) {
    const isOnTheWay = (goal.from ?? 0) < step.index && step.index < goal.to;
    return !isOnTheWay && (step.index > goal.to || step.index !== goal.from);
  }
  return (
    step.state === 'waiting' || step.state === 'pausing' || step.state === 'approved' || step.state === 'done'
  );
}

/** Whether the controller has gone on from the step, or begun it again. */
function isTaken({ step }: Rollout, goal: Goal): boolean {
  if (step.next !== null) return false;
  return step.index !== goal.from || goal.to === goal.from;
}

/** Why the end can't come any more; null while it can. */
function obstacleOf({ state, release, message }: Rollout, { until, release: of }: Goal): string | null {
  if (state === 'terminating' && until !== 'deleted') return `The rollout is being deleted: ${message}`;
  if (until !== 'step') return null;
  switch (state) {
    case 'rollingBack':
    case 'rolledBack':
    case 'failed':
      return `The release ended before this was complete. ${message}`;
    case 'disabling':
    case 'disabled':
      return `The rollout was disabled before this was complete. ${message}`;
    default:
      return release.id === of ? null : `Another release has taken its place. ${message}`;
  }
}

function wordsOf(rollout: Rollout, goal: Goal): string {
  const isPending = goal.until === 'step' && rollout.state !== 'completing' && !isTaken(rollout, goal);
  if (!isPending) return rollout.message;
  return `The API server accepted it; the controller has not gone on yet. ${rollout.message}`;
}

function endOf(rollout: Rollout, goal: Goal): string {
  if (goal.until !== 'step') return rollout.message;
  const step = stepOf(rollout, goal);
  if (step === undefined || rollout.state === 'completed' || rollout.step.index !== goal.to)
    return rollout.message;
  const { planned, ready } = step.replicas;
  if (planned === null || ready === null) return rollout.message;
  return `${capitalised(stepNoun(rollout))} ${step.index} of ${rollout.step.total} is there: ${ready} of ${count(planned, 'pod')} ready.`;
}

function stepOf({ steps }: Rollout, { to }: Goal): RolloutStep | undefined {
  return to === null ? undefined : steps[to - 1];
}

function progressOf(rollout: Rollout, goal: Goal): Judgement['progress'] {
  if (goal.until !== 'step') return null;
  const { desired, updated, ready } = rollout.replicas;
  const planned = stepOf(rollout, goal)?.replicas.planned ?? desired;
  if (planned === null || updated === null || ready === null) return null;
  return { desired: planned, updated, ready };
}

function judged(
  state: Judgement['state'],
  message: string,
  progress: Judgement['progress'] = null,
): Judgement {
  return { state, message, recordedAs: null, progress };
}
