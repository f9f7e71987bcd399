import type { JsonObject } from '@/lib/kube/json';
import { mayRevert, type OamActionName, oamActionNames } from '@/lib/rollout/oam/actions';
import type { OamRollout } from '@/lib/rollout/oam/parse';
import { oamRollouts } from '@/lib/rollout/oam/resources';
import {
  sourceNameOf,
  formatStableRevision,
  targetNameOf,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { isWaiting, type OamContext, oamContextOf } from '@/lib/rollout/oam/context';
import type { RolloutAction } from '@/lib/api/rollouts';
import type {
  RolloutActionRequest,
  RolloutGoal,
  RolloutInput,
  RolloutPlanResult,
} from '@/lib/rollout/system';
import { kubectlCommand, mergePatchCommand } from '@/lib/workloads/patch';
import type { Finding, NeededRight, Plan, PlannedWrite } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import { resourcePath } from '@/lib/kube/resource';
import { formatCount } from '@/lib/format/text';

interface Draft {
  /** The fields to set, without the precondition; null for a deletion. */
  change: JsonObject | null;
  title: string;
  steps: string[];
  stays: string[];
  goal: RolloutGoal;
}

interface DraftInput {
  situation: OamContext;
  ask: RolloutActionRequest;
}

/**
 * Plans an action on a Rollout in its current state: a merge patch of its plan or its target, with the
 * resourceVersion that was read, so that it can't reach another batch. The partition only goes up, which the
 * design enforces with a webhook and no rollout does. `actions` are those of the Rollout.
 */
export function planOamAction(
  input: RolloutInput<OamRollout>,
  request: RolloutActionRequest,
  actions: readonly RolloutAction[],
): RolloutPlanResult {
  const action = actions.find(({ name }) => name === request.action);
  if (action === undefined || !isOamAction(request.action))
    return refused('An OAM Rollout has no such action.');
  if (!action.allowed) return refused(action.reason ?? 'Not possible now.');
  const context = oamContextOf(input);
  const invalid = refuseParameters(context, request, action);
  if (invalid !== null) return invalid;
  const draft = DRAFTS[request.action]({ situation: context, ask: request });
  const findings = findingsOf(request.action, request.action === 'delete' ? null : action.consequence);
  return { kind: 'write', plan: planOf(context, request, draft), goal: draft.goal, findings };
}

/** The permission for what the action writes, which is always the Rollout. */
export function rightOf(
  { namespace, name }: Pick<OamRollout, 'namespace' | 'name'>,
  action: RolloutActionName,
): NeededRight {
  const { group, plural: resource } = oamRollouts;
  return { verb: action === 'delete' ? 'delete' : 'patch', group, resource, namespace, name };
}

const DRAFTS: Readonly<Record<OamActionName, (input: DraftInput) => Draft>> = {
  approve: draftApproval,
  pause: ({ situation: { rollout, index, batches } }) => ({
    change: planChange({ paused: true }),
    title: `Pause ${rollout.name}`,
    steps: [
      index === 0
        ? 'It pauses as soon as its first batch starts.'
        : `Batch ${index} of ${batches.length} stops before its next action.`,
    ],
    stays: ['Pods that are already requested still start or terminate.'],
    goal: { until: 'written' },
  }),
  resume: ({ situation: context }) => ({
    change: planChange({ paused: false }),
    title: `Resume ${context.rollout.name}`,
    steps: [
      context.index === 0
        ? 'The batches start.'
        : isWaiting(context)
          ? `Batch ${context.index} of ${context.batches.length} is done.`
          : `The rollout continues in batch ${context.index} of ${context.batches.length}.`,
    ],
    stays: ['A batch that is waiting for approval keeps waiting.'],
    goal: { until: 'written' },
  }),
  rollback: draftRollback,
  delete: draftDeletion,
};

/** Up to the next batch, or up to the requested one. */
function draftApproval({ situation: context, ask: request }: DraftInput): Draft {
  const { rollout, index, batches, goals } = context;
  const upTo = request.step ?? index + 1;
  const goal = goals[upTo - 1] ?? null;
  const before = goals[index - 1] ?? 0;
  const pods =
    goal === null ? '' : `: ${before} → ${formatCount(goal, 'pod')} of ${formatUpdatedRevision(context)}`;
  return {
    change: planChange({ [rollout.partitionMember]: upTo - 1 }),
    title:
      upTo === index + 1
        ? `Approve batch ${index} of ${batches.length}`
        : `Approve batches ${index} to ${upTo - 1} of ${batches.length}`,
    steps: [
      upTo === index + 1 ? `Batch ${upTo} runs${pods}.` : `Batches ${index + 1} to ${upTo} run${pods}.`,
      upTo === batches.length
        ? `This is the last batch: all pods then run ${formatUpdatedRevision(context)}.`
        : 'It then waits for approval again.',
    ],
    stays: ['Completed batches and the target do not change.'],
    goal: { until: 'step', from: index, to: upTo === batches.length ? null : upTo, runId: rollout.target },
  };
}

function draftRollback({ situation: context }: DraftInput): Draft {
  const { rollout, batches } = context;
  const source = sourceNameOf(context) ?? '';
  const { partition } = rollout.plan;
  const isHeld = partition !== undefined && partition < batches.length - 1;
  return {
    change: { spec: retargeted(context, source) },
    title: `Roll back ${rollout.name} to ${formatStableRevision(context)}`,
    steps: [
      `The current batch finishes, then pods move from ${formatUpdatedRevision(context)} back to ${formatStableRevision(context)} in ${batches.length === 1 ? 'one batch' : `${batches.length} batches`}.`,
    ],
    stays: [
      isHeld
        ? `The plan does not change: the rollback waits for approval after batch ${partition + 1}.`
        : 'The plan does not change.',
    ],
    goal: { until: 'step', from: 0, to: isHeld ? partition + 1 : null, runId: source },
  };
}

/** In the fields of the spec. The former target becomes the source. */
function retargeted({ rollout, sources }: OamContext, source: string): JsonObject {
  const former = targetNameOf(rollout) ?? '';
  if (rollout.naming !== 'workload')
    return {
      targetRevisionName: source,
      ...(rollout.source !== null && { sourceRevisionName: former }),
    };
  const { apiVersion, kind } = rollout.workload;
  const names = [former, ...sources.map(({ workload }) => workload.name)].filter((name) => name !== source);
  return {
    targetRef: { apiVersion, kind, name: source },
    sourceRef: [...new Set(names)].map((name) => ({ apiVersion, kind, name })),
  };
}

function draftDeletion({ situation: context, ask: request }: DraftInput): Draft {
  const { rollout, index, stage } = context;
  const reverts = revertOf(context, request);
  const isMidway = index > 0 && stage !== 'rolloutSucceed';
  return {
    change: null,
    title: reverts ? `Delete ${rollout.name} and revert its changes` : `Delete ${rollout.name}`,
    steps: [
      ...(reverts === rollout.plan.revertOnDelete || !mayRevert(context)
        ? []
        : [`revertOnDelete is set to ${reverts} first.`]),
      reverts
        ? 'The state before the first batch is restored, at most as many pods at a time as in the largest batch; then the Rollout is deleted.'
        : 'The workloads are released, and the Rollout is deleted.',
    ],
    stays: [
      reverts
        ? 'No pods of the target remain.'
        : isMidway
          ? 'The current pods of source and target remain.'
          : 'The workloads do not change.',
    ],
    goal: { until: 'deleted' },
  };
}

function revertOf(context: OamContext, { revert }: RolloutActionRequest): boolean {
  return mayRevert(context) && (revert ?? context.rollout.plan.revertOnDelete);
}

function planOf(context: OamContext, request: RolloutActionRequest, draft: Draft): Plan {
  const { rollout } = context;
  const { change, title, steps, stays } = draft;
  const { action } = request;
  const needs = rightOf(rollout, action);
  const common = { action, title, steps, stays };
  if (change !== null)
    return { ...common, write: patchOf(rollout, change), needs, kubectl: patchLine(rollout, change) };
  const deletion = kubectlCommand(rollout.namespace, 'delete', RESOURCE, rollout.name, '--wait=false');
  const { uid, resourceVersion } = rollout;
  if (!changesRevert(context, request)) {
    const write: PlannedWrite = {
      kind: 'delete',
      path: pathOf(rollout),
      preconditions: { uid, resourceVersion },
    };
    return { ...common, write, needs, kubectl: deletion };
  }
  // The effect of a deletion is written before the deletion is requested; that changes the version of the object.
  const before = planChange({ revertOnDelete: revertOf(context, request) });
  return {
    ...common,
    write: patchOf(rollout, before),
    needs: { ...needs, verb: 'patch' },
    then: { write: { kind: 'delete', path: pathOf(rollout), preconditions: { uid } }, needs },
    kubectl: `${patchLine(rollout, before)} && ${deletion}`,
  };
}

const RESOURCE = `${oamRollouts.plural}.${oamRollouts.group}`;

function patchLine({ namespace, name }: OamRollout, change: JsonObject): string {
  return mergePatchCommand(namespace, [RESOURCE, name], change);
}

function patchOf(rollout: OamRollout, change: JsonObject): PlannedWrite {
  const { resourceVersion } = rollout;
  return { kind: 'merge', path: pathOf(rollout), body: { metadata: { resourceVersion }, ...change } };
}

function changesRevert(context: OamContext, request: RolloutActionRequest): boolean {
  return mayRevert(context) && revertOf(context, request) !== context.rollout.plan.revertOnDelete;
}

function pathOf({ version, namespace, name }: OamRollout): string {
  return resourcePath(oamRollouts, version, namespace, name);
}

function planChange(change: JsonObject): JsonObject {
  return { spec: { rolloutPlan: change } };
}

/** No request contains what the design's validation forbids. */
function refuseParameters(
  context: OamContext,
  { action, step, revert }: RolloutActionRequest,
  { steps }: RolloutAction,
): RolloutPlanResult | null {
  if (action === 'approve' && step !== null && !(steps ?? []).includes(step)) {
    const { length } = context.batches;
    return refused(
      step > length
        ? `Batch ${step} does not exist: the plan has ${length}.`
        : `Batch ${step} is already approved. The partition can only increase.`,
      'no_such_step',
    );
  }
  if (action === 'delete' && revert === true && !mayRevert(context))
    return refused(
      context.rollout.isOurs
        ? 'The rollout has succeeded, so a deletion cannot revert it. Roll it back instead.'
        : 'Only Shiplog’s own controller can revert a Rollout on deletion, and it does not manage this one.',
      'cannot_revert',
    );
  return null;
}

function isOamAction(action: RolloutActionName): action is OamActionName {
  return (oamActionNames as readonly RolloutActionName[]).includes(action);
}

function findingsOf(action: OamActionName, consequence: string | null): Finding[] {
  const severity = action === 'rollback' ? 'warning' : 'info';
  return consequence === null ? [] : [{ severity, code: 'consequence', message: consequence, action: null }];
}

function refused(message: string, code = 'wrong_state'): RolloutPlanResult {
  return { kind: 'refused', findings: [{ severity: 'refusal', code, message, action: null }] };
}
