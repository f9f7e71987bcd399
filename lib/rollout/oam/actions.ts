import {
  recordedRevision,
  sourceNameOf,
  formatStableRevision,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { isApproved, isRolling, isWaiting, type OamContext } from '@/lib/rollout/oam/context';
import { rolloutTraits } from '@/lib/rollout/oam/resources';
import { stallOf } from '@/lib/rollout/oam/waits';
import { describeDeletion } from '@/lib/rollout/oam/describe';
import { type Refusal, refusalFields } from '@/lib/rollout/refusal';
import type { RolloutAction } from '@/lib/api/rollouts';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { ResourceType } from '@/lib/kube/resource';
import { uncapitalize } from '@/lib/format/text';

/** The actions of a Rollout of OAM. */
export const oamActionNames = [
  'approve',
  'pause',
  'resume',
  'rollback',
  'delete',
] as const satisfies readonly RolloutActionName[];
export type OamActionName = (typeof oamActionNames)[number];

interface Rule {
  refusal: (context: OamContext) => Refusal;
  consequence?: (context: OamContext) => string | null;
}

const RULES: Readonly<Record<OamActionName, Rule>> = {
  approve: { refusal: refuseApproval, consequence: describeApproval },
  pause: {
    refusal: (context) =>
      refuseWrite(context) ??
      refuseEnd(context) ??
      (context.rollout.plan.isPaused ? 'The Rollout is already paused.' : null),
    consequence: ({ batch }) =>
      batch === 'batchVerifying' || batch === 'batchInRolling'
        ? 'Pods that the current batch has requested still start.'
        : null,
  },
  resume: {
    refusal: (context) =>
      refuseWrite(context) ?? (context.rollout.plan.isPaused ? null : 'The Rollout is not paused.'),
  },
  rollback: { refusal: refuseRollback, consequence: describeRollback },
  delete: { refusal: refuseDeletion, consequence: describeDeletion },
};

/** Every action of a Rollout, with whether it is possible now and why not. */
export function actionsOf(context: OamContext): RolloutAction[] {
  return oamActionNames.map((name) => {
    const rule = RULES[name];
    const refusal = rule.refusal(context);
    const isAllowed = refusal === null;
    return {
      name,
      ...refusalFields(refusal),
      consequence: isAllowed ? (rule.consequence?.(context) ?? null) : null,
      steps: isAllowed && name === 'approve' ? approvable(context) : null,
      ...(isAllowed &&
        name === 'delete' &&
        mayRevert(context) && { revert: context.rollout.plan.revertOnDelete }),
    };
  });
}

/** Of legacy generations, which no controller works on any more and which are read-only. */
export function readOnlyActions({ kind, id }: ResourceType): RolloutAction[] {
  const reason =
    id === rolloutTraits.id
      ? `${kind}s are read-only: no version of KubeVela had a controller for them.`
      : `${kind}s are read-only: KubeVela v1.2 removed their controller.`;
  return oamActionNames.map((name) => ({ name, allowed: false, reason, consequence: null, steps: null }));
}

/**
 * Whether a deletion can revert the changes: only Shiplog's own controller does, and only where the rollout
 * has not succeeded.
 */
export function mayRevert({ rollout, stage }: OamContext): boolean {
  return rollout.isOurs && stage !== 'rolloutSucceed' && stage !== 'RolloutDeletingState';
}

/** Batches not approved so far, counted from 1. */
function approvable({ rollout: { plan }, index, batches }: OamContext): number[] {
  const from = Math.max(index, (plan.partition ?? batches.length) + 1);
  return batches.flatMap((_, offset) => (offset + 1 > from ? [offset + 1] : []));
}

/** Reasons against every write but a deletion. */
function refuseWrite(context: OamContext): Refusal {
  const { rollout, stage } = context;
  if (stage === 'RolloutDeletingState') return 'The Rollout is being deleted.';
  if (rollout.renderedBy !== null)
    return `${rollout.renderedBy} renders this Rollout and would revert the change: change it there.`;
  const stall = stallOf(context);
  return stall === null ? null : `No active controller: ${uncapitalize(stall)}`;
}

function refuseEnd({ stage, rollout }: OamContext): Refusal {
  switch (stage) {
    case 'rolloutSucceed':
    case 'rolloutFailed':
      return 'The rollout is finished.';
    case 'rolloutFailing':
      return 'The rollout has already failed.';
    case 'unknown':
      return `Shiplog does not know the state ${rollout.rolling} of the Rollout.`;
    default:
      return null;
  }
}

function refuseApproval(context: OamContext): Refusal {
  const { rollout, index, batches } = context;
  const refusal = refuseWrite(context) ?? refuseEnd(context);
  if (refusal !== null) return refusal;
  if (!isRolling(context))
    return context.stage === 'finalising' ? 'All batches are done.' : 'No batch has started yet.';
  if (rollout.plan.isPaused) return 'The Rollout is paused. Resume it first.';
  if (index >= batches.length) return 'This is the last batch: none is left to approve.';
  return isApproved(rollout, index) ? `Batch ${index + 1} is already approved.` : null;
}

function describeApproval(context: OamContext): string | null {
  const { index } = context;
  return isWaiting(context)
    ? null
    : `Batch ${index} is still in progress: batch ${index + 1} starts automatically when it is done.`;
}

function refuseRollback(context: OamContext): Refusal {
  const { rollout, stage, sources } = context;
  const refusal = refuseWrite(context);
  if (refusal !== null) return refusal;
  if (stage === 'unknown') return refuseEnd(context);
  if (stage === 'new' || stage === 'locatingTargetApp') return 'Nothing has been rolled out yet.';
  if (stage === 'rolloutAbandoning' || stage === 'modified')
    return 'The target has just changed, and the controller has not started with it yet.';
  if (rollout.plan.isPaused) return 'The Rollout is paused. Resume it first.';
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
  const { rollout, stage } = context;
  if (stage === 'RolloutDeletingState') return 'The Rollout is being deleted.';
  if (rollout.renderedBy !== null)
    return `${rollout.renderedBy} renders this Rollout and would recreate it: remove it there.`;
  const stall = stallOf(context);
  return stall === null || !rollout.isHeldByFinalizer
    ? null
    : `No active controller, and only the controller removes the finalizer: ${uncapitalize(stall)}`;
}
