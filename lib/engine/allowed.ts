import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutAction } from '@/lib/api/rollouts';

/** Why an action is not possible, and where another one does the same; null: it is possible. */
export type Refusal = string | { reason: string; instead: 'workload' } | null;

/** When a system offers an action, and what has to be read before it. */
export interface ActionRule<Context> {
  /** The first that applies counts. */
  refusals: readonly ((context: Context) => Refusal)[];
  /** Only asked where nothing refuses it. Absent: there is nothing to read. */
  consequence?: (context: Context) => string | null;
  /** The steps that can be requested with it. Absent: it takes none. */
  steps?: (context: Context) => number[];
  /** Of a deletion: whether it reverts the rollout; undefined where it can't. */
  reverts?: (context: Context) => boolean | undefined;
}

/** The actions of a system, in the order in which they are offered. */
export type ActionTable<Context> = Readonly<Partial<Record<RolloutActionName, ActionRule<Context>>>>;

/** Every action of the table, with whether it is possible now and why not. */
export function listActions<Context>(table: ActionTable<Context>, context: Context): RolloutAction[] {
  return rulesOf(table).map(([name, rule]) => {
    const refusal = findRefusal(rule.refusals, context);
    if (refusal !== null) return refuseAction(name, refusal);
    const action: RolloutAction = {
      name,
      allowed: true,
      reason: null,
      consequence: rule.consequence?.(context) ?? null,
      steps: rule.steps?.(context) ?? null,
    };
    const reverts = rule.reverts?.(context);
    return reverts === undefined ? action : { ...action, revert: reverts };
  });
}

/** The same actions, all of which one reason refuses. */
export function refuseAll<Context>(table: ActionTable<Context>, reason: string): RolloutAction[] {
  return rulesOf(table).map(([name]) => refuseAction(name, reason));
}

function rulesOf<Context>(table: ActionTable<Context>): [RolloutActionName, ActionRule<Context>][] {
  return Object.entries(table) as [RolloutActionName, ActionRule<Context>][];
}

/** The first reason against an action; null where there is none. */
function findRefusal<Context>(refusals: ActionRule<Context>['refusals'], context: Context): Refusal {
  for (const refuse of refusals) {
    const refusal = refuse(context);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** An action that is never possible as things stand. */
function refuseAction(name: RolloutActionName, refusal: NonNullable<Refusal>): RolloutAction {
  const refused = typeof refusal === 'string' ? { reason: refusal } : refusal;
  return { name, allowed: false, ...refused, consequence: null, steps: null };
}

/** What the refusals that all systems share read of a rollout. */
export interface ActionFacts {
  isDeleted: boolean;
  isPaused: boolean;
}

export const NO_ROLLOUT = 'No rollout is in progress.';
/** What a pause does while no rollout is in progress. */
export const NEXT_WAITS = 'No rollout is in progress: the next one waits before its first step.';
export const DELETED = 'The Rollout is being deleted.';
export const PAUSED = 'The Rollout is paused. Resume it first.';

export function refuseDeleted({ isDeleted }: ActionFacts): Refusal {
  return isDeleted ? DELETED : null;
}

/** Of an action that has no effect during a pause. */
export function refusePaused({ isPaused }: ActionFacts): Refusal {
  return isPaused ? PAUSED : null;
}

/** Of a pause. */
export function refuseSecondPause({ isPaused }: ActionFacts): Refusal {
  return isPaused ? 'The Rollout is already paused.' : null;
}

/** Of an end of the pause. */
export function refuseUnpaused({ isPaused }: ActionFacts): Refusal {
  return isPaused ? null : 'The Rollout is not paused.';
}
