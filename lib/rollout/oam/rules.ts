import {
  type ActionTable,
  type Refusal,
  refuseAll,
  refuseDeleted,
  refusePaused,
  refuseSecondPause,
  refuseUnpaused,
} from '@/lib/engine/allowed';
import {
  recordedRevision,
  sourceNameOf,
  formatStableRevision,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { isApproved, isRolling, isWaiting, type OamContext } from '@/lib/rollout/oam/context';
import { rolloutTraits } from '@/lib/rollout/oam/resources';
import { describeDeletion, describeStall } from '@/lib/rollout/oam/progress';
import type { RolloutAction } from '@/lib/api/rollouts';
import type { ResourceType } from '@/lib/kube/resource';

/** Reasons against every write but a deletion. */
const WRITE = [refuseDeleted, refuseRendered, (context: OamContext) => describeStall(context)];

/** The actions of a Rollout of OAM. */
export const oamActions: ActionTable<OamContext> = {
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
  },
  pause: {
    refusals: [...WRITE, refuseFinished, refuseUnrecognized, refuseSecondPause],
    consequence: ({ batch }) =>
      batch === 'batchVerifying' || batch === 'batchInRolling'
        ? 'Pods that the current batch has requested still start.'
        : null,
  },
  resume: { refusals: [...WRITE, refuseUnpaused] },
  rollback: {
    refusals: [...WRITE, refuseUnrecognized, refuseUnstarted, refusePaused, refuseRollback],
    consequence: describeRollback,
  },
  delete: {
    refusals: [refuseDeleted, refuseDeletion],
    consequence: describeDeletion,
    reverts: (context) => (mayRevert(context) ? context.rollout.plan.revertOnDelete : undefined),
  },
};

/** Of legacy generations, which no controller works on any more and which are read-only. */
export function readOnlyActions({ kind, id }: ResourceType): RolloutAction[] {
  const reason =
    id === rolloutTraits.id
      ? `${kind}s are read-only: no version of KubeVela had a controller for them.`
      : `${kind}s are read-only: KubeVela v1.2 removed their controller.`;
  return refuseAll(oamActions, reason);
}

/**
 * Whether a deletion can revert the changes: only Shiplog's own controller does, and only where the rollout
 * has not succeeded.
 */
export function mayRevert({ rollout, stage }: OamContext): boolean {
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
