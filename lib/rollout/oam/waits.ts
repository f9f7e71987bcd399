import { conditionTypeOf } from '@/lib/oam/conditions';
import { isApproved, isWaiting, type Situation } from '@/lib/rollout/oam/situation';
import { type StepState, type Wait } from '@/lib/rollout/rollout';
import { count, listed, utc } from '@/lib/workloads/words';

/** A controller that is alive looks every five seconds; so long without a sign is no delay any more. */
const PATIENCE_MS = 5 * 60_000;

/** What the controller said last of the stage at hand, where it could not pass it. */
export function obstacleOf({ rollout }: Situation): string | null {
  const { status, conditions } = rollout;
  if (status.position === undefined) return null;
  const type = conditionTypeOf(status.position);
  const condition = conditions.find((each) => each.type === type);
  return condition?.status === 'False' ? condition.message : null;
}

/** What the batch at hand waits for; null where nothing holds it up. */
export function waitOfStep(situation: Situation, state: StepState, planned: number | null): Wait | null {
  const { pods, index, batches, rollout, extent } = situation;
  switch (state) {
    case 'waiting':
      return {
        kind: 'approval',
        text: `Somebody has to approve batch ${index} before batch ${index + 1} of ${batches.length} begins.`,
      };
    case 'starting': {
      const obstacle = obstacleOf(situation);
      return obstacle === null ? null : { kind: 'analysis', text: sentence(obstacle) };
    }
    case 'analysing': {
      const names = [...rollout.plan.metrics, ...(batches[index - 1]?.metrics ?? [])].map(({ name }) => name);
      const obstacle = obstacleOf(situation);
      if (obstacle !== null) return { kind: 'analysis', text: sentence(obstacle) };
      return names.length === 0 ? null : { kind: 'analysis', text: `Being measured: ${listed(names)}.` };
    }
    case 'upgrading': {
      if (planned === null || (extent !== null && extent.target < extent.base)) return null;
      const ready = pods.filter((pod) => pod.ready).length;
      const missing = Math.max(0, planned - ready);
      const text = `${ready} of ${count(planned, 'pod')} of the target ${planned === 1 ? 'is' : 'are'} ready.`;
      if (missing > 0) return { kind: 'pods', text, missing };
      return {
        kind: 'pods',
        text: 'The pods of the source that are not wanted any more have to go.',
        missing: null,
      };
    }
    default:
      return null;
  }
}

/**
 * Why nobody seems to work on the Rollout; null where it shows signs of life, or where nothing could tell. One that waits
 * for approval is quiet whoever runs it.
 */
export function stallOf(situation: Situation): string | null {
  const { rollout, stage, nowMs } = situation;
  const sign = quietSince(situation);
  if (sign === null || nowMs - Date.parse(sign) <= PATIENCE_MS) return null;
  switch (stage) {
    case 'new':
      return `No controller has taken it up since ${utc(sign)}.`;
    case 'modified':
      return `It was changed at ${utc(sign)}, and no controller has taken that up.`;
    case 'RolloutDeletingState':
      return `It is to be deleted since ${utc(rollout.deletedAt ?? sign)}, and no controller lets go of it.`;
    default:
      return `Batch ${situation.index + 1} may run, and no controller has gone on since ${utc(sign)}.`;
  }
}

/** Milliseconds since the epoch at which time alone next changes what is said; Infinity where it changes nothing. */
export function nextChangeOf(situation: Situation): number {
  const sign = quietSince(situation);
  const at = sign === null ? NaN : Date.parse(sign) + PATIENCE_MS;
  return at >= situation.nowMs ? at + 1 : Infinity;
}

/**
 * Since when a controller that is alive ought to have done something, whatever the pods do; null where none need have. Times
 * of fields tell, since none of these controllers notes which generation it has seen.
 */
function quietSince(situation: Situation): string | null {
  const { rollout, stage } = situation;
  const { specWrittenAt, statusWrittenAt, createdAt, deletedAt, isHeldByFinalizer } = rollout;
  const latest = later(specWrittenAt, statusWrittenAt);
  switch (stage) {
    case 'new':
      return later(specWrittenAt, createdAt);
    case 'modified':
      return specWrittenAt;
    case 'RolloutDeletingState':
      // The pods that come back may take their time, and are told of.
      return isHeldByFinalizer ? later(deletedAt, statusWrittenAt) : null;
    case 'rollingInBatches': {
      const isDue =
        situation.batch === 'batchReady' &&
        !rollout.plan.isPaused &&
        !isWaiting(situation) &&
        isApproved(rollout, situation.index);
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

/** A message of the controller as a sentence. */
export function sentence(text: string): string {
  const trimmed = text.trim().replace(/[.:]+$/, '');
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`;
}
