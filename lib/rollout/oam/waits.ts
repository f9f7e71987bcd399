import { conditionTypeOf } from '@/lib/oam/conditions';
import { isApproved, isWaiting, type OamContext } from '@/lib/rollout/oam/context';
import type { Wait } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { formatCount, formatList, formatUtc } from '@/lib/format/text';

/** A running controller reconciles every five seconds; a longer silence is no delay any more. */
const STALL_AFTER_MS = 5 * 60_000;

/** The controller's last message about the current stage, where it failed. */
export function obstacleOf({ rollout }: OamContext): string | null {
  const { status, conditions } = rollout;
  if (status.position === undefined) return null;
  const type = conditionTypeOf(status.position);
  const condition = conditions.find((each) => each.type === type);
  return condition?.status === 'False' ? condition.message : null;
}

/**
 * Why it failed: the condition of the stage that failed has the reason, and conditions of earlier rollouts
 * are never cleared, so the last changed one is used. For a failed batch, its failed check has the reason.
 */
export function failureCauseOf({ conditions }: OamContext['rollout']): string | null {
  const failures = conditions
    .filter(({ status, message, type }) => status === 'False' && message !== null && type !== 'BatchPaused')
    .toSorted((a, b) => Date.parse(b.lastTransitionTime ?? '') - Date.parse(a.lastTransitionTime ?? '') || 0);
  const check = failures.find(({ type }) => type === 'BatchVerifying');
  const cause =
    (failures[0]?.type === 'BatchRolloutFailed' ? (check ?? failures[0]) : failures[0])?.message ?? null;
  return cause === null ? null : cause.trim().replace(/\.$/, '');
}

/** What the current batch waits for; null where nothing blocks it. */
export function waitOfStep(context: OamContext, state: StepState, planned: number | null): Wait | null {
  const { pods, index, batches, rollout, extent } = context;
  switch (state) {
    case 'waiting':
      return {
        kind: 'approval',
        text: `Waiting for approval of batch ${index}.`,
      };
    case 'starting': {
      const obstacle = obstacleOf(context);
      return obstacle === null ? null : { kind: 'analysis', text: toSentence(obstacle) };
    }
    case 'analysing': {
      const names = [...rollout.plan.metrics, ...(batches[index - 1]?.metrics ?? [])].map(({ name }) => name);
      const obstacle = obstacleOf(context);
      if (obstacle !== null) return { kind: 'analysis', text: toSentence(obstacle) };
      return names.length === 0
        ? null
        : { kind: 'analysis', text: `Analysis running: ${formatList(names)}.` };
    }
    case 'upgrading': {
      if (planned === null || (extent !== null && extent.target < extent.base)) return null;
      const ready = pods.filter((pod) => pod.ready).length;
      const missing = Math.max(0, planned - ready);
      const text = `${ready} of ${formatCount(planned, 'pod')} of the target ${planned === 1 ? 'is' : 'are'} ready.`;
      if (missing > 0) return { kind: 'pods', text, missing };
      return {
        kind: 'pods',
        text: 'Waiting for pods of the source to terminate.',
        missing: null,
      };
    }
    default:
      return null;
  }
}

/**
 * Why the Rollout appears to have no controller; null where it shows activity, or where none is expected. One
 * that waits for approval is idle under any controller.
 */
export function stallOf(context: OamContext): string | null {
  const { rollout, stage, nowMs } = context;
  const since = overdueSince(context);
  if (since === null || nowMs - Date.parse(since) <= STALL_AFTER_MS) return null;
  switch (stage) {
    case 'new':
      return `No controller has processed it since ${formatUtc(since)}.`;
    case 'modified':
      return `It changed at ${formatUtc(since)}, and no controller has processed the change.`;
    case 'RolloutDeletingState':
      return `It was deleted at ${formatUtc(rollout.deletedAt ?? since)}, and no controller has removed its finalizer.`;
    default:
      return `Batch ${context.index + 1} is approved, but no controller has reacted since ${formatUtc(since)}.`;
  }
}

/**
 * Milliseconds since the epoch at which time alone next changes the answer; Infinity where it changes
 * nothing.
 */
export function nextChangeOf(context: OamContext): number {
  const since = overdueSince(context);
  const at = since === null ? NaN : Date.parse(since) + STALL_AFTER_MS;
  return at >= context.nowMs ? at + 1 : Infinity;
}

/**
 * Since when a running controller should have acted, whatever the pods do; null where no action is due.
 * Derived from the times of fields, since none of these controllers records an observed generation.
 */
function overdueSince(context: OamContext): string | null {
  const { rollout, stage } = context;
  const { specWrittenAt, statusWrittenAt, createdAt, deletedAt, isHeldByFinalizer } = rollout;
  const latest = later(specWrittenAt, statusWrittenAt);
  switch (stage) {
    case 'new':
      return later(specWrittenAt, createdAt);
    case 'modified':
      return specWrittenAt;
    case 'RolloutDeletingState':
      // The pods of a rollback may be slow, and are reported.
      return isHeldByFinalizer ? later(deletedAt, statusWrittenAt) : null;
    case 'rollingInBatches': {
      const isDue =
        context.batch === 'batchReady' &&
        !rollout.plan.isPaused &&
        !isWaiting(context) &&
        isApproved(rollout, context.index);
      return isDue ? latest : null;
    }
    default:
      return null;
  }
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) < Date.parse(b) ? b : a;
}

/** A message of the controller as a sentence. Only a plain word is capitalized: a token would no longer look like one. */
export function toSentence(text: string): string {
  const trimmed = text.trim().replace(/[.:]+$/, '');
  return `${trimmed.replace(/^[a-z](?=[a-z]*(?:[\s,']|$))/, (letter) => letter.toUpperCase())}.`;
}
