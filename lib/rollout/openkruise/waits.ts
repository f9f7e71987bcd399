import type { KruiseStep } from '@/lib/rollout/openkruise/parse';
import type { KruiseContext } from '@/lib/rollout/openkruise/context';
import type { Wait } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { formatDuration } from '@/lib/format/duration';
import { formatCount, formatUtc } from '@/lib/format/text';

/** Longer than any running controller leaves a change unread, or a completed wait. */
export const STALL_AFTER_MS = 60_000;

/** What the current step waits for; null where nothing blocks it. */
export function waitOfStep(
  { progress, nowMs, rollout }: KruiseContext,
  { pause }: KruiseStep,
  state: StepState,
  planned: number | null,
): Wait | null {
  if (progress === null) return null;
  switch (state) {
    case 'upgrading':
    case 'starting': {
      const missing = planned === null ? null : Math.max(0, planned - progress.ready);
      const text =
        planned === null
          ? `${formatCount(progress.ready, 'pod')} of the new revision ${progress.ready === 1 ? 'is' : 'are'} ready.`
          : `${progress.ready} of ${formatCount(planned, 'pod')} of the new revision ${planned === 1 ? 'is' : 'are'} ready.`;
      return missing === 0 ? null : { kind: 'pods', text, missing };
    }
    case 'routing':
      return rollout.routes.length === 0
        ? null
        : { kind: 'traffic', text: 'Setting the traffic of this step.' };
    case 'analysing':
      return { kind: 'analysis', text: 'The analysis is running.' };
    case 'waiting':
      return { kind: 'approval', text: `Waiting for approval of step ${progress.stepIndex}.` };
    case 'pausing':
      return pause.kind === 'time' ? timedWait(pause.seconds, progress.lastUpdateTime, nowMs) : null;
    default:
      return null;
  }
}

function timedWait(seconds: number, since: string | null, nowMs: number): Wait {
  const startMs = since === null ? NaN : Date.parse(since);
  const endMs = startMs + seconds * 1_000;
  const until = Number.isNaN(endMs) || Math.abs(endMs) > 8e15 ? null : new Date(endMs).toISOString();
  const isOver = until !== null && endMs <= nowMs;
  const text =
    until === null
      ? `Continues automatically after ${formatDuration(seconds * 1_000)}.`
      : isOver
        ? `The pause of ${formatDuration(seconds * 1_000)} ended at ${formatUtc(until)}.`
        : `Continues automatically at ${formatUtc(until)}.`;
  return { kind: 'time', text, seconds, until };
}

/**
 * Why the Rollout appears to have no controller: a running one reads a change, an approval and the end of a
 * wait within seconds. Null where it shows activity, or where none is expected.
 */
export function stallOf(context: KruiseContext): string | null {
  const { rollout, stage, progress, nowMs } = context;
  const isLong = (since: string | null) => since !== null && nowMs - Date.parse(since) > STALL_AFTER_MS;
  if (stage === 'initial' && rollout.phase === '' && isLong(rollout.createdAt))
    return 'No controller has processed this Rollout since it was created.';
  const { observedGeneration, generation, specWrittenAt } = rollout;
  if (observedGeneration !== null && observedGeneration < generation && isLong(specWrittenAt))
    return `The Rollout changed at ${formatUtc(specWrittenAt ?? '')}, and no controller has processed the change.`;
  if (stage === 'terminating' && isLong(rollout.deletedAt) && progress?.finalisingStep === '')
    return `The Rollout was deleted at ${formatUtc(rollout.deletedAt ?? '')}, and no controller has cleaned up.`;
  if (stage !== 'inStep' || progress === null) return null;
  if (progress.stepState === 'StepReady' && isLong(rollout.statusWrittenAt))
    return `Step ${progress.stepIndex} was approved, but the controller has not reacted.`;
  const pause = rollout.steps[progress.stepIndex - 1]?.pause;
  const endMs =
    Date.parse(progress.lastUpdateTime ?? '') + (pause?.kind === 'time' ? pause.seconds * 1_000 : NaN);
  if (progress.stepState === 'StepPaused' && nowMs - endMs > STALL_AFTER_MS)
    return `The pause of step ${progress.stepIndex} is over, but the controller has not reacted.`;
  return null;
}

/**
 * Milliseconds since the epoch at which time alone next changes the answer; Infinity where it changes
 * nothing.
 */
export function nextChangeOf({ rollout, stage, progress, nowMs }: KruiseContext): number {
  const pause = rollout.steps[(progress?.stepIndex ?? 0) - 1]?.pause;
  const stepMs = Date.parse(progress?.lastUpdateTime ?? '');
  const endMs = stepMs + (pause?.kind === 'time' ? pause.seconds * 1_000 : NaN);
  const isUnread = rollout.observedGeneration !== null && rollout.observedGeneration < rollout.generation;
  const moments = [
    stage === 'initial' ? Date.parse(rollout.createdAt) + STALL_AFTER_MS : NaN,
    isUnread ? Date.parse(rollout.specWrittenAt ?? '') + STALL_AFTER_MS : NaN,
    stage === 'terminating' ? Date.parse(rollout.deletedAt ?? '') + STALL_AFTER_MS : NaN,
    ...(stage === 'inStep' && progress?.stepState === 'StepReady'
      ? [Date.parse(rollout.statusWrittenAt ?? '') + STALL_AFTER_MS]
      : []),
    ...(stage === 'inStep' && progress?.stepState === 'StepPaused' ? [endMs, endMs + STALL_AFTER_MS] : []),
  ];
  return Math.min(Infinity, ...moments.filter((moment) => moment >= nowMs).map((moment) => moment + 1));
}
