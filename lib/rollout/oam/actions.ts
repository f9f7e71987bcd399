import {
  recordedRevision,
  sourceNameOf,
  formatStableRevision,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { isApproved, isPreparing, isRolling, isWaiting, type OamContext } from '@/lib/rollout/oam/context';
import { rolloutTraits } from '@/lib/rollout/oam/resources';
import { stallOf } from '@/lib/rollout/oam/waits';
import { describeDeletion } from '@/lib/rollout/oam/describe';
import { type Refusal, refusalFields } from '@/lib/rollout/refusal';
import { type RolloutAction } from '@/lib/api/rollouts';
import { type RolloutActionName } from '@/lib/api/action-values';
import { type ResourceType } from '@/lib/kube/resource';

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
      (context.rollout.plan.isPaused ? 'The Rollout is paused already.' : null),
    consequence: ({ batch }) =>
      batch === 'batchVerifying' || batch === 'batchInRolling'
        ? 'What the batch under way has asked for comes about all the same.'
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
      ? `${kind}s are for reading alone: no version of KubeVela had a controller for them.`
      : `${kind}s are for reading alone: KubeVela took their controller out with v1.2.`;
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
    return `${rollout.renderedBy} renders this Rollout and would take it back: change it there.`;
  const stall = stallOf(context);
  return stall === null ? null : `There seems to be no controller for it. ${stall}`;
}

function refuseEnd({ stage, rollout }: OamContext): Refusal {
  switch (stage) {
    case 'rolloutSucceed':
    case 'rolloutFailed':
      return 'The rollout is over.';
    case 'rolloutFailing':
      return 'The rollout has failed already.';
    case 'unknown':
      return `The Rollout is in the state ${rollout.rolling}, which Shiplog does not know.`;
    default:
      return null;
  }
}

function refuseApproval(context: OamContext): Refusal {
  const { rollout, index, batches } = context;
  const refusal = refuseWrite(context) ?? refuseEnd(context);
  if (refusal !== null) return refusal;
  if (!isRolling(context))
    return context.stage === 'finalising' ? 'All batches are done.' : 'No batch has begun so far.';
  if (rollout.plan.isPaused) return 'The Rollout is paused by hand. Resume it first.';
  if (index >= batches.length) return 'It is the last batch: there is none left to approve.';
  return isApproved(rollout, index) ? `Batch ${index + 1} may run already.` : null;
}

function describeApproval(context: OamContext): string | null {
  const { index } = context;
  return isWaiting(context)
    ? null
    : `Batch ${index} is still under way: batch ${index + 1} follows without asking once it is done.`;
}

function refuseRollback(context: OamContext): Refusal {
  const { rollout, stage, sources } = context;
  const refusal = refuseWrite(context);
  if (refusal !== null) return refusal;
  if (stage === 'unknown') return refuseEnd(context);
  if (stage === 'new' || stage === 'locatingTargetApp') return 'Nothing has been rolled out so far.';
  if (stage === 'rolloutAbandoning' || stage === 'modified')
    return 'Its target has just been changed; the controller has yet to begin with that.';
  if (rollout.plan.isPaused) return 'The Rollout is paused by hand. Resume it first.';
  const { kind, name } = rollout.workload;
  if (rollout.isInPlace && rollout.naming === 'workload')
    return {
      reason: `${kind} ${name} goes back by its own template: roll that back instead.`,
      instead: 'workload',
    };
  const source = sourceNameOf(context);
  if (source === null) return 'It had no source, so there is nothing to go back to.';
  if (rollout.naming === 'workload')
    return sources.some(({ workload }) => workload.name === source)
      ? null
      : `${kind} ${source}, which it came from, is not there any more.`;
  return recordedRevision(context, source) === undefined
    ? `The component revision ${source} is not there any more.`
    : null;
}

function describeRollback(context: OamContext): string {
  const { rollout, batches } = context;
  const { partition } = rollout.plan;
  const startText = isPreparing(context) || isRolling(context) ? 'Midway' : 'Again';
  const approvalText =
    partition === undefined || partition >= batches.length - 1
      ? ''
      : ` The partition stays: it waits for approval after batch ${partition + 1} on the way back too.`;
  return `${startText} in batches, from ${formatUpdatedRevision(context)} to ${formatStableRevision(context)}.${approvalText}`;
}

function refuseDeletion(context: OamContext): Refusal {
  const { rollout, stage } = context;
  if (stage === 'RolloutDeletingState') return 'The Rollout is being deleted.';
  if (rollout.renderedBy !== null)
    return `${rollout.renderedBy} renders this Rollout and would make it again: take it out there.`;
  const stall = stallOf(context);
  return stall === null || !rollout.isHeldByFinalizer
    ? null
    : `There seems to be no controller for it, and only that lets go of its finalizer. ${stall}`;
}
