import type { ActionRule } from '@/lib/engine/allowed';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutAction } from '@/lib/api/rollouts';
import type { JsonObject } from '@/lib/kube/json';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import type { RolloutActionRequest, RolloutGoal, RolloutPlanResult } from '@/lib/rollout/system';
import { mergePatchCommand, patchRight } from '@/lib/workloads/patch';
import { finding, type NeededRight, type Plan, type PlannedWrite } from '@/lib/workloads/plan';

/** Objects of this resource are written in the version, and as the version, that was read. */
type Written = Pick<RolloutObject, 'version' | 'namespace' | 'name' | 'resourceVersion'>;

/** What an action writes, and what follows from that, in sentences. */
export interface Draft {
  /** The fields to set, without the precondition. */
  change: JsonObject;
  title: string;
  steps: string[];
  stays: string[];
  goal: RolloutGoal;
  /** The command of the system's own tool. Absent: a merge patch. */
  kubectl?: string;
  /** The second write, where it takes two. */
  then?: Plan['then'];
  /** The object to write, where it is not the rollout. */
  of?: { resource: ResourceType; object: Written };
}

export interface PlannedWrites {
  plan: Plan;
  goal: RolloutGoal;
}

/**
 * What a draft changes: the object, its status, or, in versions whose definition has no such subresource, the object in
 * the place of the status.
 */
type WrittenPart = 'object' | 'status' | 'statusOrObject';

/** An action of a system: when it is offered, and what it writes. */
interface Operation<Context> extends ActionRule<Context> {
  /** Whether its consequence is a warning, and no mere information. Absent: never. */
  warns?: true | ((context: Context) => boolean);
  /** The steps of its plan tell the consequence. */
  isToldInSteps?: true;
  /** Why the parameters of a request are impossible; null where they are possible. */
  refuseRequest?: (
    context: Context,
    request: RolloutActionRequest,
    offered: RolloutAction,
  ) => { code: string; message: string } | null;
  /** Absent: the object. */
  writes?: WrittenPart;
  /** Absent: its write is a rollback of the workload, which the kind of that plans. */
  draft?: (
    context: Context,
    rollout: ProgressiveRollout,
    request: RolloutActionRequest,
  ) => Draft | PlannedWrites;
}

/** The actions of a system, in the order in which they are offered. */
export type OperationTable<Context> = Readonly<Partial<Record<RolloutActionName, Operation<Context>>>>;

/** Plans one of the actions of a rollout: none that is not offered, and none with parameters that are impossible. */
export function planAction<Context extends { rollout: RolloutObject }>(
  resource: ResourceType,
  operations: OperationTable<Context>,
  context: Context,
  rollout: ProgressiveRollout,
  request: RolloutActionRequest,
  refusalCode = 'wrong_state',
): RolloutPlanResult {
  const { action } = request;
  const offered = rollout.actions.find(({ name }) => name === action);
  const operation = operations[action];
  if (offered === undefined)
    return refusePlan(`This ${resource.label ?? resource.kind} has no such action.`, refusalCode);
  if (!offered.allowed || operation === undefined)
    return refusePlan(offered.reason ?? 'Not possible now.', refusalCode);
  const problem = operation.refuseRequest?.(context, request, offered) ?? null;
  if (problem !== null) return refusePlan(problem.message, problem.code);
  const { warns = false, isToldInSteps, writes, draft } = operation;
  const severity = warns === true || (warns !== false && warns(context)) ? 'warning' : 'info';
  const consequence = isToldInSteps === true ? null : offered.consequence;
  const findings = consequence === null ? [] : [finding(severity, 'consequence', consequence)];
  if (draft === undefined)
    return { kind: 'workload', revisionId: rollout.revisions.stable?.id ?? '', findings };
  const drafted = draft(context, rollout, request);
  const planned = 'plan' in drafted ? drafted : planMerge(resource, context.rollout, action, drafted, writes);
  return { kind: 'write', ...planned, findings };
}

function refusePlan(message: string, code: string): RolloutPlanResult {
  return { kind: 'refused', findings: [finding('refusal', code, message)] };
}

/** Of the object that an action writes, or of its status. */
export function writeRight(
  resource: ResourceType,
  object: Pick<RolloutObject, 'namespace' | 'name'>,
  part: WrittenPart = 'object',
): NeededRight {
  const right = patchRight(resource, object);
  return part === 'object' ? right : { ...right, subresource: 'status' };
}

export function pathOf(resource: ResourceType, { version, namespace, name }: Written): string {
  return resourcePath(resource, version, namespace, name);
}

/** A merge patch with the resourceVersion that was read, so that it can't reach another step. */
export function mergeChange(
  resource: ResourceType,
  object: Written,
  change: JsonObject,
): Extract<PlannedWrite, { kind: 'merge' }> {
  const { resourceVersion } = object;
  return {
    kind: 'merge',
    path: pathOf(resource, object),
    body: { metadata: { resourceVersion }, ...change },
  };
}

/** The same with kubectl. */
export function mergeCommand(
  { plural, group }: ResourceType,
  { namespace, name }: Pick<RolloutObject, 'namespace' | 'name'>,
  change: JsonObject,
  part: WrittenPart = 'object',
): string {
  const options = part === 'object' ? [] : ['--subresource=status'];
  return mergePatchCommand(namespace, [`${plural}.${group}`, name, ...options], change);
}

/** The draft as one merge patch. */
function planMerge(
  resource: ResourceType,
  object: Written,
  action: RolloutActionName,
  draft: Draft,
  part: WrittenPart = 'object',
): PlannedWrites {
  const { change, title, steps, stays, goal, then, of = { resource, object } } = draft;
  const write = mergeChange(of.resource, of.object, change);
  if (part === 'statusOrObject') write.elsePath = write.path;
  if (part !== 'object') write.path += '/status';
  const plan: Plan = {
    action,
    title,
    write,
    needs: writeRight(of.resource, of.object, part),
    steps,
    stays,
    kubectl: draft.kubectl ?? mergeCommand(of.resource, of.object, change, part),
  };
  return { plan: then === undefined ? plan : { ...plan, then }, goal };
}

/** A pause of the whole rollout; `isIdle`: no step has begun; `still`: what it does not stop. */
export function draftPause(
  rollout: ProgressiveRollout,
  isIdle: boolean,
  change: JsonObject,
  still = '',
): Draft {
  return {
    change,
    title: `Pause ${rollout.name}`,
    steps: [
      isIdle
        ? 'The next rollout waits before its first step.'
        : `The rollout stays in step ${rollout.step.index} of ${rollout.step.total}${still}.`,
    ],
    stays: ['Pods and traffic do not change.'],
    goal: { until: 'observed' },
  };
}

/** The end of a pause of the whole rollout; `go`: what a step waits for besides. */
export function draftResume(
  rollout: ProgressiveRollout,
  isIdle: boolean,
  go: 'approval' | 'promotion',
  change: JsonObject,
): Draft {
  return {
    change,
    title: `Resume ${rollout.name}`,
    steps: [
      isIdle
        ? 'The next rollout starts with its first step.'
        : `The rollout continues in step ${rollout.step.index} of ${rollout.step.total}.`,
    ],
    stays: [`A step that is waiting for ${go} keeps waiting.`],
    goal: { until: 'observed' },
  };
}
