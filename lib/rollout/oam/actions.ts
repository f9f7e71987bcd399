import {
  type Refusal,
  refuseDeleted,
  refusePaused,
  refuseSecondPause,
  refuseUnpaused,
} from '@/lib/engine/allowed';
import { formatCount } from '@/lib/format/text';
import type { JsonObject } from '@/lib/kube/json';
import { isApproved, isRolling, isWaiting, type OamContext } from '@/lib/rollout/oam/context';
import { oamRollouts } from '@/lib/rollout/oam/resources';
import {
  recordedRevision,
  sourceNameOf,
  formatStableRevision,
  targetNameOf,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { describeDeletion, describeStall } from '@/lib/rollout/oam/stages';
import {
  type Draft,
  mergeChange,
  mergeCommand,
  type OperationTable,
  pathOf,
  type PlannedWrites,
  writeRight,
} from '@/lib/rollout/plan-action';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutActionRequest } from '@/lib/rollout/system';
import { kubectlCommand } from '@/lib/workloads/patch';
import type { NeededRight, Plan } from '@/lib/workloads/plan';

/** Reasons against every write but a deletion. */
const WRITE = [refuseDeleted, refuseRendered, (context: OamContext) => describeStall(context)];

/**
 * The actions of a Rollout of OAM: merge patches of its plan or its target. The partition only goes up, which the design
 * enforces with a webhook and no rollout does.
 */
export const oamActions: OperationTable<OamContext> = {
  approve: {
    refusals: [
      ...WRITE,
      refuseFinished,
      refuseUnrecognized,
      refuseOutsideBatches,
      refusePaused,
      refuseApproval,
    ],
    consequence: (context) =>
      isWaiting(context)
        ? null
        : `Batch ${context.index} is still in progress: batch ${context.index + 1} starts automatically when it is done.`,
    steps: listUnapproved,
    refuseRequest: ({ total }, { step }, { steps }) => {
      if (step === null || steps?.includes(step) === true) return null;
      const message =
        step > total
          ? `Batch ${step} does not exist: the plan has ${total}.`
          : `Batch ${step} is already approved. The partition can only increase.`;
      return { code: 'no_such_step', message };
    },
    draft: draftApproval,
  },
  pause: {
    refusals: [...WRITE, refuseFinished, refuseUnrecognized, refuseSecondPause],
    consequence: ({ batch }) =>
      batch === 'batchVerifying' || batch === 'batchInRolling'
        ? 'Pods that the current batch has requested still start.'
        : null,
    draft: ({ rollout, index, total }) => ({
      change: planChange({ paused: true }),
      title: `Pause ${rollout.name}`,
      steps: [
        index === 0
          ? 'It pauses as soon as its first batch starts.'
          : `Batch ${index} of ${total} stops before its next action.`,
      ],
      stays: ['Pods that are already requested still start or terminate.'],
      goal: { until: 'written' },
    }),
  },
  resume: {
    refusals: [...WRITE, refuseUnpaused],
    draft: (context) => ({
      change: planChange({ paused: false }),
      title: `Resume ${context.rollout.name}`,
      steps: [
        context.index === 0
          ? 'The batches start.'
          : isWaiting(context)
            ? `Batch ${context.index} of ${context.total} is done.`
            : `The rollout continues in batch ${context.index} of ${context.total}.`,
      ],
      stays: ['A batch that is waiting for approval keeps waiting.'],
      goal: { until: 'written' },
    }),
  },
  rollback: {
    refusals: [...WRITE, refuseUnrecognized, refuseUnstarted, refusePaused, refuseRollback],
    consequence: describeRollback,
    warns: true,
    draft: draftRollback,
  },
  delete: {
    refusals: [refuseDeleted, refuseDeletion],
    consequence: describeDeletion,
    isToldInSteps: true,
    reverts: (context) => (mayRevert(context) ? context.rollout.plan.revertOnDelete : undefined),
    refuseRequest: (context, { revert }) => {
      if (revert !== true || mayRevert(context)) return null;
      const message = context.rollout.isOurs
        ? 'The rollout has succeeded, so a deletion cannot revert it. Roll it back instead.'
        : 'Only Shiplog’s own controller can revert a Rollout on deletion, and it does not manage this one.';
      return { code: 'cannot_revert', message };
    },
    draft: draftDeletion,
  },
};

/**
 * Whether a deletion can revert the changes: only Shiplog's own controller does, and only where the rollout
 * has not succeeded.
 */
function mayRevert({ rollout, stage }: OamContext): boolean {
  return rollout.isOurs && stage !== 'rolloutSucceed' && stage !== 'RolloutDeletingState';
}

/** Batches not approved so far, counted from 1. */
function listUnapproved({ rollout: { plan }, index, batches }: OamContext): number[] {
  const from = Math.max(index, (plan.partition ?? batches.length) + 1);
  return batches.map((_, offset) => offset + 1).filter((batch) => batch > from);
}

function refuseRendered({ rollout: { renderedBy } }: OamContext): Refusal {
  return renderedBy === null
    ? null
    : `${renderedBy} renders this Rollout and would revert the change: change it there.`;
}

function refuseFinished({ stage }: OamContext): Refusal {
  if (stage === 'rolloutFailing') return 'The rollout has already failed.';
  return stage === 'rolloutSucceed' || stage === 'rolloutFailed' ? 'The rollout is finished.' : null;
}

function refuseUnrecognized({ stage, rollout }: OamContext): Refusal {
  return stage === 'unknown' ? `Shiplog does not know the state ${rollout.rolling} of the Rollout.` : null;
}

function refuseOutsideBatches(context: OamContext): Refusal {
  if (isRolling(context)) return null;
  return context.stage === 'finalising' ? 'All batches are done.' : 'No batch has started yet.';
}

function refuseApproval({ rollout, index, batches }: OamContext): Refusal {
  if (index >= batches.length) return 'This is the last batch: none is left to approve.';
  return isApproved(rollout, index) ? `Batch ${index + 1} is already approved.` : null;
}

function refuseUnstarted({ stage }: OamContext): Refusal {
  if (stage === 'new' || stage === 'locatingTargetApp') return 'Nothing has been rolled out yet.';
  return stage === 'rolloutAbandoning' || stage === 'modified'
    ? 'The target has just changed, and the controller has not started with it yet.'
    : null;
}

function refuseRollback(context: OamContext): Refusal {
  const { rollout, sources } = context;
  const { kind, name } = rollout.workload;
  if (rollout.isInPlace && rollout.naming === 'workload')
    return {
      reason: `Roll back ${kind} ${name} instead: its own pod template decides.`,
      instead: 'workload',
    };
  const source = sourceNameOf(context);
  if (source === null) return 'The rollout has no source to roll back to.';
  if (rollout.naming === 'workload')
    return sources.some(({ workload }) => workload.name === source)
      ? null
      : `The source ${kind} ${source} no longer exists.`;
  return recordedRevision(context, source) === undefined
    ? `The component revision ${source} no longer exists.`
    : null;
}

function describeRollback(context: OamContext): string {
  const { rollout, batches } = context;
  const { partition } = rollout.plan;
  const approvalText =
    partition === undefined || partition >= batches.length - 1
      ? ''
      : ` The partition still applies: the rollback waits for approval after batch ${partition + 1}.`;
  return `The rollback runs in batches, from ${formatUpdatedRevision(context)} to ${formatStableRevision(context)}.${approvalText}`;
}

function refuseDeletion(context: OamContext): Refusal {
  const { rollout } = context;
  if (rollout.renderedBy !== null)
    return `${rollout.renderedBy} renders this Rollout and would recreate it: remove it there.`;
  return rollout.isHeldByFinalizer
    ? describeStall(context, 'No active controller, and only the controller removes the finalizer')
    : null;
}

/** Up to the next batch, or up to the requested one. */
function draftApproval(context: OamContext, _: ProgressiveRollout, request: RolloutActionRequest): Draft {
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
function draftDeletion(
  context: OamContext,
  _: ProgressiveRollout,
  request: RolloutActionRequest,
): PlannedWrites {
  const { rollout, index, stage } = context;
  const { uid, resourceVersion, namespace, name } = rollout;
  const { plural, group } = oamRollouts;
  const reverts = revertOf(context, request);
  const isMidway = index > 0 && stage !== 'rolloutSucceed';
  const path = pathOf(oamRollouts, rollout);
  const patch = writeRight(oamRollouts, rollout);
  const needs: NeededRight = { ...patch, verb: 'delete' };
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
  if (!mayRevert(context) || reverts === rollout.plan.revertOnDelete)
    return { plan, goal: { until: 'deleted' } };
  const before = planChange({ revertOnDelete: reverts });
  const inTwo: Plan = {
    ...plan,
    write: mergeChange(oamRollouts, rollout, before),
    needs: patch,
    then: { write: { kind: 'delete', path, preconditions: { uid } }, needs },
    steps: [`revertOnDelete is set to ${reverts} first.`, effect],
    kubectl: `${mergeCommand(oamRollouts, rollout, before)} && ${plan.kubectl}`,
  };
  return { plan: inTwo, goal: { until: 'deleted' } };
}

function revertOf(context: OamContext, { revert }: RolloutActionRequest): boolean {
  return mayRevert(context) && (revert ?? context.rollout.plan.revertOnDelete);
}

function planChange(change: JsonObject): JsonObject {
  return { spec: { rolloutPlan: change } };
}
