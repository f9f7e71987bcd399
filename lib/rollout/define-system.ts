import { listActions, refuseAll } from '@/lib/engine/allowed';
import { describeProgress, type ProgressFacts } from '@/lib/engine/progress';
import { type Deadline, findNextChange, findOverdue } from '@/lib/engine/waits';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutStep } from '@/lib/api/rollouts';
import { shapeRollout, type StepPods } from '@/lib/rollout/common-shape';
import { type OperationTable, planAction, writeRight } from '@/lib/rollout/plan-action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { type BaseContext, plainSystem, type RolloutInput, type RolloutSystem } from '@/lib/rollout/system';
import type { NeededRight } from '@/lib/workloads/plan';

/** What the machinery derives of every rollout. */
type Derived = 'state' | 'message' | 'waitsFor' | 'since' | 'step' | 'steps' | 'actions' | 'paused';

/** What only its system knows of a rollout; members that are left out are empty. */
export type Description = Pick<ProgressiveRollout, 'phase' | 'style' | 'revisions'> & {
  -readonly [Member in keyof Omit<ProgressiveRollout, Derived>]?: ProgressiveRollout[Member];
};

interface SystemContext<T extends RolloutObject> extends Omit<BaseContext<T>, 'facts'> {
  /** The current step, from 1; 0 where none is current. */
  index: number;
}

/** What a system declares: how its objects are read, and what its stages, steps and actions are. */
interface SystemRules<T extends RolloutObject, Context> {
  id: string;
  resource: RolloutSystem<T>['resource'];
  parse: RolloutSystem<T>['parse'];
  /** Absent: those of a system that has nothing but its object. */
  members?: Partial<Pick<RolloutSystem<T>, keyof typeof plainSystem | 'sides'>>;
  /** Everything that the rules need, computed once. */
  readContext: (input: RolloutInput<T>) => Context;
  /** The facts of its stage; `step` is the current one. */
  findFacts: (context: Context, step: RolloutStep | null) => ProgressFacts;
  /** What appears to be missing where nothing happens in time. */
  controller?: string;
  /** Absent: nothing is to happen in time. */
  findDeadlines?: (context: Context) => readonly Deadline[];
  /** That the controller appears to be missing. Absent: what is overdue. */
  describeStall?: (context: Context) => string | null;
  /** Absent: no pods are attributed to steps. */
  findPods?: (context: Context) => StepPods;
  /** The steps of its plan, with their states. Absent: it has none. */
  listSteps?: (context: Context, pods: StepPods) => RolloutStep[];
  /** The step that its status requests in the place of the following one. Absent: it can request none. */
  findJump?: (context: Context) => number | null;
  actions: OperationTable<Context>;
  /** Why its objects are not written. Absent: they are. */
  readOnly?: string;
  /** Of an action that is not possible. */
  refusalCode?: string;
  /** The permission for an action that writes something else; undefined where it writes the rollout. */
  rightOf?: (object: T, action: RolloutActionName) => NeededRight | null | undefined;
  describe: (context: Context, pods: StepPods) => Description;
  /**
   * Values that change with everything that an action depends on: the state of the rollout, its revisions, its plan,
   * its template. Counts of pods and messages are left out.
   */
  listPreconditions: (input: RolloutInput<T>) => readonly unknown[];
}

/** A system by its rules: everything else is the same for all. */
export function defineSystem<T extends RolloutObject, Context extends SystemContext<T>>(
  rules: SystemRules<T, Context>,
): RolloutSystem<T> {
  const { id, resource, parse, readContext, findDeadlines = () => [], actions, readOnly } = rules;
  const deriveOf = (context: Context, input: RolloutInput<T>) => deriveRollout(rules, context, input);
  return {
    ...plainSystem,
    ...rules.members,
    id,
    resource,
    parse,
    derive: (input) => deriveOf(readContext(input), input),
    validUntil: (input) => findNextChange(readContext(input), findDeadlines),
    preconditionText: (input) => JSON.stringify(rules.listPreconditions(input)),
    plan: (input, request) => {
      const context = readContext(input);
      return planAction(resource, actions, context, deriveOf(context, input), request, rules.refusalCode);
    },
    rightOf: (object, action) => {
      const own = rules.rightOf?.(object, action);
      if (readOnly !== undefined || own !== undefined) return own ?? null;
      const operation = actions[action];
      const isOfWorkload = operation !== undefined && operation.draft === undefined;
      return isOfWorkload ? null : writeRight(resource, object, operation?.writes);
    },
  };
}

const NO_PODS: StepPods = { bySteps: new Map(), unassigned: [] };

/** A rollout with its workload, its pods and its related objects, in the shape that all systems have. */
function deriveRollout<T extends RolloutObject, Context extends SystemContext<T>>(
  rules: SystemRules<T, Context>,
  context: Context,
  input: RolloutInput<T>,
): ProgressiveRollout {
  const { actions, readOnly } = rules;
  const { rollout, index, isPaused, nowMs } = context;
  const pods = rules.findPods?.(context) ?? NO_PODS;
  const steps = rules.listSteps?.(context, pods) ?? [];
  const step = steps[index - 1] ?? null;
  const stall =
    rules.describeStall === undefined
      ? findOverdue(rules.findDeadlines?.(context) ?? [], nowMs)
      : rules.describeStall(context);
  return {
    ...shapeRollout(rules.id, rollout, input.workload.state),
    ...describeProgress(rules.findFacts(context, step), stall, rules.controller),
    paused: isPaused,
    step: {
      index,
      total: steps.length,
      state: step?.state ?? null,
      next: rules.findJump?.(context) ?? null,
    },
    steps,
    unassignedPods: pods.unassigned,
    actions: readOnly === undefined ? listActions(actions, context) : refuseAll(actions, readOnly),
    ...rules.describe(context, pods),
  };
}
