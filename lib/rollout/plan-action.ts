import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutAction } from '@/lib/api/rollouts';
import type { JsonObject } from '@/lib/kube/json';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import type { RolloutActionRequest, RolloutGoal, RolloutPlanResult } from '@/lib/rollout/system';
import { mergePatchCommand, patchRight } from '@/lib/workloads/patch';
import { finding, type NeededRight, type Plan, type PlannedWrite } from '@/lib/workloads/plan';

/** What an action writes, and what follows from that, in sentences. */
export interface Draft {
  /** The fields to set, without the precondition. */
  change: JsonObject;
  title: string;
  steps: string[];
  stays: string[];
  goal: RolloutGoal;
}

/** The write of an action, or the revision for a rollback that is a write to the workload. */
type Drafted = PlannedWrites | { revisionId: string };

export interface PlannedWrites {
  plan: Plan;
  goal: RolloutGoal;
}

/** How a system plans its actions. */
interface Planner {
  /** What has no such action: "A Rollout". */
  subject: string;
  /** Actions whose consequence is a warning. */
  warns: readonly RolloutActionName[];
  /** Whether its consequence is among the findings. Absent: always. */
  isTold?: (action: RolloutAction) => boolean;
  /** Why the parameters of the request are impossible; null where they are possible. */
  refuse?: (action: RolloutAction) => { code: string; message: string } | null;
  draft: (action: RolloutActionName) => Drafted;
}

/** Plans one of the actions of a rollout: none that is not offered, and none with parameters that are impossible. */
export function planAction(
  actions: ProgressiveRollout['actions'],
  request: RolloutActionRequest,
  { subject, warns, isTold, refuse, draft }: Planner,
): RolloutPlanResult {
  const action = actions.find(({ name }) => name === request.action);
  if (action === undefined) return refusePlan(`${subject} has no such action.`);
  if (!action.allowed) return refusePlan(action.reason ?? 'Not possible now.');
  const problem = refuse?.(action) ?? null;
  if (problem !== null) return refusePlan(problem.message, problem.code);
  const severity = warns.includes(action.name) ? 'warning' : 'info';
  const consequence = isTold?.(action) === false ? null : action.consequence;
  const findings = consequence === null ? [] : [finding(severity, 'consequence', consequence)];
  const drafted = draft(action.name);
  return 'plan' in drafted
    ? { kind: 'write', ...drafted, findings }
    : { kind: 'workload', ...drafted, findings };
}

/** A rollback that the kind of the workload plans. */
export function rollBackWorkload({ revisions }: ProgressiveRollout): { revisionId: string } {
  return { revisionId: revisions.stable?.id ?? '' };
}

export function refusePlan(message: string, code = 'wrong_state'): RolloutPlanResult {
  return { kind: 'refused', findings: [finding('refusal', code, message)] };
}

/** Objects of this resource are written in the version, and as the version, that was read. */
type Written = Pick<RolloutObject, 'version' | 'namespace' | 'name' | 'resourceVersion'>;

/** Of the object that an action writes, or of its status. */
export function writeRight(
  resource: ResourceType,
  object: Pick<RolloutObject, 'namespace' | 'name'>,
  part: 'object' | 'status',
): NeededRight {
  const right = patchRight(resource, object);
  return part === 'status' ? { ...right, subresource: part } : right;
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
  part: 'object' | 'status' = 'object',
): string {
  const options = part === 'status' ? ['--subresource=status'] : [];
  return mergePatchCommand(namespace, [`${plural}.${group}`, name, ...options], change);
}

/** The draft as one merge patch, of the object or of its status. */
export function planMerge(
  resource: ResourceType,
  object: Written,
  action: RolloutActionName,
  draft: Draft,
  part: 'object' | 'status' = 'object',
): PlannedWrites {
  const { change, title, steps, stays, goal } = draft;
  const write = mergeChange(resource, object, change);
  const plan: Plan = {
    action,
    title,
    write: part === 'status' ? { ...write, path: `${write.path}/status` } : write,
    needs: writeRight(resource, object, part),
    steps,
    stays,
    kubectl: mergeCommand(resource, object, change, part),
  };
  return { plan, goal };
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
