import { type KruiseStep } from '@/lib/rollout/openkruise/parse';
import { type Situation } from '@/lib/rollout/openkruise/situation';
import { type StepState, type Wait } from '@/lib/rollout/rollout';
import { count, utc } from '@/lib/workloads/words';

/** Longer than any controller that is alive leaves a change unread, or a wait that is over. */
export const PATIENCE_MS = 60_000;

/** What the step at hand waits for; null where nothing holds it up. */
export function waitOfStep(
  { progress, nowMs, rollout }: Situation,
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
          ? `${count(progress.ready, 'pod')} of the new revision ${progress.ready === 1 ? 'is' : 'are'} ready.`
          : `${progress.ready} of ${count(planned, 'pod')} of the new revision ${planned === 1 ? 'is' : 'are'} ready.`;
      return missing === 0 ? null : { kind: 'pods', text, missing };
    }
    case 'routing':
      return rollout.routes.length === 0
        ? null
        : { kind: 'traffic', text: 'The traffic of this step is being set.' };
    case 'analysing':
      return { kind: 'analysis', text: 'The step is being judged.' };
    case 'waiting':
      return { kind: 'approval', text: `Somebody has to approve step ${progress.stepIndex}.` };
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
      ? `It goes on by itself after ${count(seconds, 'second')}.`
      : isOver
        ? `Its wait of ${count(seconds, 'second')} was over at ${utc(until)}.`
        : `It goes on by itself at ${utc(until)}.`;
  return { kind: 'time', text, seconds, until };
}

/**
 * Why nobody seems to work on the Rollout: a controller that is alive reads a change, an approval and the end of a wait within
 * seconds. Null where it shows signs of life, and where nothing could tell.
 */
export function stallOf(situation: Situation): string | null {
  const { rollout, stage, progress, nowMs } = situation;
  const isLong = (since: string | null) => since !== null && nowMs - Date.parse(since) > PATIENCE_MS;
  if (stage === 'initial' && rollout.phase === '' && isLong(rollout.createdAt))
    return 'No controller has taken up this Rollout since it was created.';
  const { observedGeneration, generation, specWrittenAt } = rollout;
  if (observedGeneration !== null && observedGeneration < generation && isLong(specWrittenAt))
    return `The Rollout was changed at ${utc(specWrittenAt ?? '')}, and no controller has read that.`;
  if (stage === 'terminating' && isLong(rollout.deletedAt) && progress?.finalisingStep === '')
    return `The Rollout was deleted at ${utc(rollout.deletedAt ?? '')}, and no controller has cleaned up after it.`;
  if (stage !== 'inStep' || progress === null) return null;
  if (progress.stepState === 'StepReady' && isLong(rollout.statusWrittenAt))
    return `Step ${progress.stepIndex} was approved, and no controller has gone on.`;
  const pause = rollout.steps[progress.stepIndex - 1]?.pause;
  const endMs =
    Date.parse(progress.lastUpdateTime ?? '') + (pause?.kind === 'time' ? pause.seconds * 1_000 : NaN);
  if (progress.stepState === 'StepPaused' && nowMs - endMs > PATIENCE_MS)
    return `The wait of step ${progress.stepIndex} is over, and no controller has gone on.`;
  return null;
}

/** Milliseconds since the epoch at which time alone next changes what is said; Infinity where it changes nothing. */
export function nextChangeOf({ rollout, stage, progress, nowMs }: Situation): number {
  const pause = rollout.steps[(progress?.stepIndex ?? 0) - 1]?.pause;
  const stepMs = Date.parse(progress?.lastUpdateTime ?? '');
  const endMs = stepMs + (pause?.kind === 'time' ? pause.seconds * 1_000 : NaN);
  const isUnread = rollout.observedGeneration !== null && rollout.observedGeneration < rollout.generation;
  const moments = [
    stage === 'initial' ? Date.parse(rollout.createdAt) + PATIENCE_MS : NaN,
    isUnread ? Date.parse(rollout.specWrittenAt ?? '') + PATIENCE_MS : NaN,
    stage === 'terminating' ? Date.parse(rollout.deletedAt ?? '') + PATIENCE_MS : NaN,
    ...(stage === 'inStep' && progress?.stepState === 'StepReady'
      ? [Date.parse(rollout.statusWrittenAt ?? '') + PATIENCE_MS]
      : []),
    ...(stage === 'inStep' && progress?.stepState === 'StepPaused' ? [endMs, endMs + PATIENCE_MS] : []),
  ];
  return Math.min(Infinity, ...moments.filter((moment) => moment >= nowMs).map((moment) => moment + 1));
}
