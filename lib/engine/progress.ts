import type { RolloutStep, Wait } from '@/lib/api/rollouts';
import type { RolloutState } from '@/lib/api/rollout-values';

/**
 * Where a rollout is, whatever its system calls that. `unread`: its controller has not processed it, or not the last
 * change. `preparing`: no pod has moved yet. `underWay`: it moves pods, or waits to. `finishing`: the steps are done.
 * `leaving`: it was disabled, and its controller releases the workload.
 */
export type Course =
  | 'unread'
  | 'none'
  | 'preparing'
  | 'underWay'
  | 'finishing'
  | 'succeeded'
  | 'failed'
  | 'reverting'
  | 'reverted'
  | 'leaving'
  | 'off'
  | 'deleting'
  | 'withoutWorkload'
  | 'unrecognized';

/** What a system reports of a rollout as a whole. */
export interface ProgressFacts {
  course: Course;
  /** Without a controller that is missing. */
  message: string;
  /** Absent: nothing that is known. */
  waitsFor?: Wait | null;
  /** RFC 3339 time at which this began. Absent: not known. */
  since?: string | null;
}

/** The facts of each stage that a system knows; `step` is the current one. */
export type StageTable<Stage extends string, Context> = Readonly<
  Record<Stage, (context: Context, step: RolloutStep | null) => ProgressFacts>
>;

/** State, sentence, and wait of a rollout, for display. */
export interface Progress {
  state: RolloutState;
  message: string;
  waitsFor: Wait | null;
  since: string | null;
}

/**
 * A rollout is in one state, in this order: it stalls; its course says so; what it waits for says so. `stall`: that its
 * controller, which `controller` names, appears to be missing.
 */
export function describeProgress(
  facts: ProgressFacts,
  stall: string | null = null,
  controller = 'the controller',
): Progress {
  const { message, waitsFor = null, since = null } = facts;
  if (stall !== null) {
    const waitsForController: Wait = { kind: 'controller', text: `Waiting for ${controller}.` };
    return { state: 'stalled', message: stall, waitsFor: waitsForController, since };
  }
  const state = facts.course === 'underWay' ? decideUnderWay(waitsFor) : STATES[facts.course];
  return { state, message, waitsFor, since };
}

const STATES: Readonly<Record<Exclude<Course, 'underWay'>, RolloutState>> = {
  deleting: 'terminating',
  off: 'disabled',
  leaving: 'disabling',
  withoutWorkload: 'missing',
  unread: 'starting',
  preparing: 'starting',
  none: 'idle',
  failed: 'failed',
  reverting: 'rollingBack',
  reverted: 'rolledBack',
  finishing: 'completing',
  succeeded: 'completed',
  unrecognized: 'unknown',
};

const UNDER_WAY: readonly RolloutState[] = ['progressing', 'waiting', 'paused', 'stalled', 'completing'];

/** Whether its system works on the steps of a rollout, or waits with them. */
export function isUnderWay(state: RolloutState): boolean {
  return UNDER_WAY.includes(state);
}

/** A pause stops a rollout whatever else it waits for, so a system states it in the place of that. */
function decideUnderWay(waitsFor: Wait | null): RolloutState {
  switch (waitsFor?.kind) {
    case 'resume':
      return 'paused';
    case 'approval':
      return 'waiting';
    default:
      return 'progressing';
  }
}

/** Facts of an object that its controller has not processed so far. */
export function describeUnread(since: string | null): ProgressFacts {
  return { course: 'unread', message: 'Waiting for the controller.', since };
}

/** Facts of a phase that Shiplog does not know. */
export function describeUnrecognized(phase: string, noun = 'phase'): ProgressFacts {
  return { course: 'unrecognized', message: `Unknown ${noun}: ${phase}.` };
}

/** Facts of a Rollout that has not been used so far. */
export const NO_ROLLOUT_YET: ProgressFacts = { course: 'none', message: 'No rollout yet.' };
