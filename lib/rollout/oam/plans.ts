import type { JsonObject } from '@/lib/kube/json';
import { mayRevert } from '@/lib/rollout/oam/rules';
import type { OamRollout } from '@/lib/rollout/oam/parse';
import { oamRollouts } from '@/lib/rollout/oam/resources';
import {
  sourceNameOf,
  formatStableRevision,
  targetNameOf,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { isWaiting, type OamContext, oamContextOf } from '@/lib/rollout/oam/context';
import {
  type Draft,
  mergeChange,
  mergeCommand,
  pathOf,
  planAction,
  planMerge,
} from '@/lib/rollout/plan-action';
import type { RolloutAction } from '@/lib/api/rollouts';
import type { RolloutActionRequest, RolloutInput, RolloutPlanResult } from '@/lib/rollout/system';
import { kubectlCommand } from '@/lib/workloads/patch';
import type { NeededRight, Plan } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import { formatCount } from '@/lib/format/text';

/**
 * Plans an action on a Rollout in its current state: a merge patch of its plan or its target. The partition only goes
 * up, which the design enforces with a webhook and no rollout does. `actions` are those of the Rollout.
 */
export function planOamAction(
  input: RolloutInput<OamRollout>,
  request: RolloutActionRequest,
  actions: readonly RolloutAction[],
): RolloutPlanResult {
  const context = oamContextOf(input);
  return planAction(actions, request, {
    subject: 'An OAM Rollout',
    warns: ['rollback'],
    // The steps of a deletion tell its effect.
    isTold: ({ name }) => name !== 'delete',
    refuse: (action) => refuseParameters(context, request, action),
    draft: (action) => {
      const draft = DRAFTS[action]?.(context, request);
      return draft === undefined
        ? { plan: planDeletion(context, request), goal: { until: 'deleted' } }
        : planMerge(oamRollouts, input.object, action, draft);
    },
  });
}

/** The permission for what the action writes, which is always the Rollout. */
export function rightOf(
  { namespace, name }: Pick<OamRollout, 'namespace' | 'name'>,
  action: RolloutActionName,
): NeededRight {
  const { group, plural: resource } = oamRollouts;
  return { verb: action === 'delete' ? 'delete' : 'patch', group, resource, namespace, name };
}

type DraftAction = (context: OamContext, request: RolloutActionRequest) => Draft;

const DRAFTS: Readonly<Partial<Record<RolloutActionName, DraftAction>>> = {
  approve: draftApproval,
  pause: ({ rollout, index, batches }) => ({
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
  resume: (context) => ({
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
};

/** Up to the next batch, or up to the requested one. */
function draftApproval(context: OamContext, request: RolloutActionRequest): Draft {
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

function draftRollback(context: OamContext): Draft {
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
    return rollout.source === null
      ? { targetRevisionName: source }
      : { targetRevisionName: source, sourceRevisionName: former };
  const { apiVersion, kind } = rollout.workload;
  const names = [former, ...sources.map(({ workload }) => workload.name)].filter((name) => name !== source);
  return {
    targetRef: { apiVersion, kind, name: source },
    sourceRef: [...new Set(names)].map((name) => ({ apiVersion, kind, name })),
  };
}

/** What a deletion changes first, which changes the version of the object, too. */
function planDeletion(context: OamContext, request: RolloutActionRequest): Plan {
  const { rollout, index, stage } = context;
  const { uid, resourceVersion, namespace, name } = rollout;
  const { plural, group } = oamRollouts;
  const reverts = revertOf(context, request);
  const isMidway = index > 0 && stage !== 'rolloutSucceed';
  const path = pathOf(oamRollouts, rollout);
  const needs = rightOf(rollout, 'delete');
  const remain = isMidway ? 'The current pods of source and target remain.' : 'The workloads do not change.';
  const effect = reverts
    ? 'The state before the first batch is restored, at most as many pods at a time as in the largest batch; then the Rollout is deleted.'
    : 'The workloads are released, and the Rollout is deleted.';
  const plan: Plan = {
    action: 'delete',
    title: reverts ? `Delete ${name} and revert its changes` : `Delete ${name}`,
    write: { kind: 'delete', path, preconditions: { uid, resourceVersion } },
    needs,
    steps: [effect],
    stays: [reverts ? 'No pods of the target remain.' : remain],
    kubectl: kubectlCommand(namespace, 'delete', `${plural}.${group}`, name, '--wait=false'),
  };
  if (!mayRevert(context) || reverts === rollout.plan.revertOnDelete) return plan;
  const before = planChange({ revertOnDelete: reverts });
  return {
    ...plan,
    write: mergeChange(oamRollouts, rollout, before),
    needs: { ...needs, verb: 'patch' },
    then: { write: { kind: 'delete', path, preconditions: { uid } }, needs },
    steps: [`revertOnDelete is set to ${reverts} first.`, effect],
    kubectl: `${mergeCommand(oamRollouts, rollout, before)} && ${plan.kubectl}`,
  };
}

function revertOf(context: OamContext, { revert }: RolloutActionRequest): boolean {
  return mayRevert(context) && (revert ?? context.rollout.plan.revertOnDelete);
}

function planChange(change: JsonObject): JsonObject {
  return { spec: { rolloutPlan: change } };
}

/** No request contains what the design's validation forbids. */
function refuseParameters(
  context: OamContext,
  { step, revert }: RolloutActionRequest,
  { name, steps }: RolloutAction,
): { code: string; message: string } | null {
  const { length } = context.batches;
  if (name === 'approve' && step !== null && steps?.includes(step) !== true)
    return {
      code: 'no_such_step',
      message:
        step > length
          ? `Batch ${step} does not exist: the plan has ${length}.`
          : `Batch ${step} is already approved. The partition can only increase.`,
    };
  if (name === 'delete' && revert === true && !mayRevert(context))
    return {
      code: 'cannot_revert',
      message: context.rollout.isOurs
        ? 'The rollout has succeeded, so a deletion cannot revert it. Roll it back instead.'
        : 'Only Shiplog’s own controller can revert a Rollout on deletion, and it does not manage this one.',
    };
  return null;
}
