import { recordedRevision, sourceNameOf, stableWord, updatedWord } from '@/lib/rollout/oam/revisions';
import { isApproved, isPreparing, isRolling, isWaiting, type Situation } from '@/lib/rollout/oam/situation';
import { rolloutTraits } from '@/lib/rollout/oam/resources';
import { stallOf } from '@/lib/rollout/oam/waits';
import { sayDeletion } from '@/lib/rollout/oam/words';
import { type Refusal, tellRefusal } from '@/lib/rollout/refusal';
import { type RolloutAction, type RolloutActionName } from '@/lib/rollout/rollout';
import { type ResourceType } from '@/lib/workloads/resource';

/** Those that a Rollout of OAM has. */
export const oamActionNames = [
  'approve',
  'pause',
  'resume',
  'rollback',
  'delete',
] as const satisfies readonly RolloutActionName[];
export type OamActionName = (typeof oamActionNames)[number];

interface Rule {
  refusal: (situation: Situation) => Refusal;
  consequence?: (situation: Situation) => string | null;
}

const RULES: Readonly<Record<OamActionName, Rule>> = {
  approve: { refusal: refuseApproval, consequence: sayApproval },
  pause: {
    refusal: (situation) =>
      refuseHandling(situation) ??
      refuseEnd(situation) ??
      (situation.rollout.plan.isPaused ? 'The Rollout is paused already.' : null),
    consequence: ({ batch }) =>
      batch === 'batchVerifying' || batch === 'batchInRolling'
        ? 'What the batch under way has asked for comes about all the same.'
        : null,
  },
  resume: {
    refusal: (situation) =>
      refuseHandling(situation) ?? (situation.rollout.plan.isPaused ? null : 'The Rollout is not paused.'),
  },
  rollback: { refusal: refuseRollback, consequence: sayRollback },
  delete: { refusal: refuseDeletion, consequence: sayDeletion },
};

/** Every action of a Rollout, with whether it can be done now and why not. */
export function actionsOf(situation: Situation): RolloutAction[] {
  return oamActionNames.map((name) => {
    const rule = RULES[name];
    const refusal = rule.refusal(situation);
    const isAllowed = refusal === null;
    return {
      name,
      ...tellRefusal(refusal),
      consequence: isAllowed ? (rule.consequence?.(situation) ?? null) : null,
      steps: isAllowed && name === 'approve' ? approvable(situation) : null,
      ...(isAllowed &&
        name === 'delete' &&
        mayRevert(situation) && { revert: situation.rollout.plan.revertOnDelete }),
    };
  });
}

/** Of generations that nobody works on any more, and that are for reading alone. */
export function readingAlone({ kind, id }: ResourceType): RolloutAction[] {
  const reason =
    id === rolloutTraits.id
      ? `${kind}s are for reading alone: no version of KubeVela had a controller for them.`
      : `${kind}s are for reading alone: KubeVela took their controller out with v1.2.`;
  return oamActionNames.map((name) => ({ name, allowed: false, reason, consequence: null, steps: null }));
}

/** Whether a deletion can take back what was done: Shiplog's own controller does, and only where it has not succeeded. */
export function mayRevert({ rollout, stage }: Situation): boolean {
  return rollout.isOurs && stage !== 'rolloutSucceed' && stage !== 'RolloutDeletingState';
}

/** Batches that are not approved so far, counted from 1. */
function approvable({ rollout: { plan }, index, batches }: Situation): number[] {
  const from = Math.max(index, (plan.partition ?? batches.length) + 1);
  return batches.flatMap((_, offset) => (offset + 1 > from ? [offset + 1] : []));
}

/** What stands against every write but a deletion. */
function refuseHandling(situation: Situation): Refusal {
  const { rollout, stage } = situation;
  if (stage === 'RolloutDeletingState') return 'The Rollout is being deleted.';
  if (rollout.renderedBy !== null)
    return `${rollout.renderedBy} renders this Rollout and would take it back: change it there.`;
  const stall = stallOf(situation);
  return stall === null ? null : `There seems to be no controller for it. ${stall}`;
}

function refuseEnd({ stage, rollout }: Situation): Refusal {
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

function refuseApproval(situation: Situation): Refusal {
  const { rollout, index, batches } = situation;
  const refusal = refuseHandling(situation) ?? refuseEnd(situation);
  if (refusal !== null) return refusal;
  if (!isRolling(situation))
    return situation.stage === 'finalising' ? 'All batches are done.' : 'No batch has begun so far.';
  if (rollout.plan.isPaused) return 'The Rollout is paused by hand. Resume it first.';
  if (index >= batches.length) return 'It is the last batch: there is none left to approve.';
  return isApproved(rollout, index) ? `Batch ${index + 1} may run already.` : null;
}

function sayApproval(situation: Situation): string | null {
  const { index } = situation;
  return isWaiting(situation)
    ? null
    : `Batch ${index} is still under way: batch ${index + 1} follows without asking once it is done.`;
}

function refuseRollback(situation: Situation): Refusal {
  const { rollout, stage, sources } = situation;
  const refusal = refuseHandling(situation);
  if (refusal !== null) return refusal;
  if (stage === 'unknown') return refuseEnd(situation);
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
  const source = sourceNameOf(situation);
  if (source === null) return 'It had no source, so there is nothing to go back to.';
  if (rollout.naming === 'workload')
    return sources.some(({ workload }) => workload.name === source)
      ? null
      : `${kind} ${source}, which it came from, is not there any more.`;
  return recordedRevision(situation, source) === undefined
    ? `The component revision ${source} is not there any more.`
    : null;
}

function sayRollback(situation: Situation): string {
  const { rollout, batches } = situation;
  const { partition } = rollout.plan;
  const way = isPreparing(situation) || isRolling(situation) ? 'Midway' : 'Again';
  const held =
    partition === undefined || partition >= batches.length - 1
      ? ''
      : ` The partition stays: it waits for approval after batch ${partition + 1} on the way back too.`;
  return `${way} in batches, from ${updatedWord(situation)} to ${stableWord(situation)}.${held}`;
}

function refuseDeletion(situation: Situation): Refusal {
  const { rollout, stage } = situation;
  if (stage === 'RolloutDeletingState') return 'The Rollout is being deleted.';
  if (rollout.renderedBy !== null)
    return `${rollout.renderedBy} renders this Rollout and would make it again: take it out there.`;
  const stall = stallOf(situation);
  return stall === null || !rollout.isHeldByFinalizer
    ? null
    : `There seems to be no controller for it, and only that lets go of its finalizer. ${stall}`;
}
