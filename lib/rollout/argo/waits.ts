import { type NamedRun, type PluginRun } from '@/lib/rollout/argo/parse';
import { isReleasing, type Situation } from '@/lib/rollout/argo/situation';
import { type ArgoStep } from '@/lib/rollout/argo/step';
import { type StepState, type Wait } from '@/lib/rollout/rollout';
import { count, utc } from '@/lib/workloads/words';

/** Longer than any controller that is alive leaves a change unread, or a wait that is over. */
const PATIENCE_MS = 60_000;

/** What the step at hand waits for; null where nothing holds it up. `step` null: of a blue-green release. */
export function waitOfStep(
  situation: Situation,
  state: StepState,
  step: ArgoStep | null,
  planned: number,
): Wait | null {
  const { rollout, current, index } = situation;
  if (step?.kind === 'plugin') return pluginWait(step.name, pluginOf(situation, index));
  switch (state) {
    case 'upgrading': {
      const ready = current?.source.scale?.available ?? 0;
      const missing = Math.max(0, planned - ready);
      const text = `${ready} of ${count(planned, 'pod')} of the new revision ${planned === 1 ? 'is' : 'are'} available.`;
      return missing === 0 ? null : { kind: 'pods', text, missing };
    }
    case 'routing':
      return rollout.isRouted ? { kind: 'traffic', text: 'The traffic of this step is being set.' } : null;
    case 'analysing':
      return { kind: 'analysis', text: analysisText(rollout.runs) };
    case 'waiting':
      return { kind: 'approval', text: approvalText(situation, index) };
    case 'pausing': {
      const seconds = step?.kind === 'pause' ? (step.seconds ?? 0) : rollout.blueGreen.automaticSeconds;
      return timedWait(seconds, situation);
    }
    default:
      return null;
  }
}

/** What the status says of the plugin of a step, as it ran last; `index` counts from 1. */
export function pluginOf({ rollout }: Situation, index: number): PluginRun | undefined {
  return rollout.plugins.findLast((run) => run.index === index - 1 && !run.isUndoing);
}

function pluginWait(name: string, run: PluginRun | undefined): Wait | null {
  if (run?.phase === 'Successful' || run?.disabled === true) return null;
  const said = run?.message == null ? '' : `: ${run.message.replace(/\.$/, '')}`;
  const text =
    run?.phase == null ? `Plugin ${name} has yet to begin.` : `Plugin ${name} is ${run.phase}${said}.`;
  return { kind: 'analysis', text };
}

function approvalText({ rollout }: Situation, index: number): string {
  const reason = rollout.pauses.find((pause) => pause.reason.startsWith('Inconclusive'))?.reason;
  if (reason !== undefined)
    return `${reason === 'InconclusiveExperiment' ? 'The experiment' : 'The analysis'} could not decide: somebody has to promote it, or abort.`;
  return rollout.strategy === 'blueGreen'
    ? 'Somebody has to promote the new revision.'
    : `Somebody has to promote step ${index}.`;
}

function analysisText(runs: readonly NamedRun[]): string {
  const run = runs.find(({ role }) => role === 'step' || role === 'prePromotion') ?? runs[0];
  return run === undefined
    ? 'The step is being judged.'
    : `AnalysisRun ${run.name} is judging it${run.status === null ? '' : ` (${run.status})`}.`;
}

/** When the pause at hand is over; null where no time ends it. */
function pauseEndMs({ rollout, index }: Situation): number | null {
  const pause = rollout.pauses[0];
  if (pause?.since == null) return null;
  const step = rollout.steps[index - 1];
  const seconds =
    pause.reason === 'BlueGreenPause'
      ? rollout.blueGreen.automaticSeconds
      : pause.reason === 'CanaryPauseStep' && step?.kind === 'pause'
        ? (step.seconds ?? 0)
        : 0;
  const endMs = Date.parse(pause.since) + seconds * 1_000;
  return seconds <= 0 || Number.isNaN(endMs) || Math.abs(endMs) > 8e15 ? null : endMs;
}

function timedWait(seconds: number, situation: Situation): Wait {
  const endMs = pauseEndMs(situation);
  const until = endMs === null ? null : new Date(endMs).toISOString();
  const text =
    until === null || endMs === null
      ? `It goes on by itself after ${count(seconds, 'second')}.`
      : endMs <= situation.nowMs
        ? `Its wait of ${count(seconds, 'second')} was over at ${utc(until)}.`
        : `It goes on by itself at ${utc(until)}.`;
  return { kind: 'time', text, seconds, until };
}

/**
 * Why nobody seems to work on the Rollout: a controller that is alive reads a change, and the end of a wait, within seconds.
 * Null where it shows signs of life, and where nothing could tell.
 */
export function stallOf(situation: Situation): string | null {
  const { rollout, stage, nowMs } = situation;
  const isLong = (since: string | null) => since !== null && nowMs - Date.parse(since) > PATIENCE_MS;
  if (stage === 'initial' && isLong(rollout.createdAt))
    return 'No controller has taken up this Rollout since it was created.';
  if (rollout.isBehind && isLong(rollout.specWrittenAt))
    return `The Rollout was changed at ${utc(rollout.specWrittenAt ?? '')}, and no controller has read that.`;
  const endMs = pauseEndMs(situation);
  if (isReleasing(situation) && !rollout.paused && endMs !== null && nowMs - endMs > PATIENCE_MS)
    return `The wait of step ${situation.index} is over, and no controller has gone on.`;
  const { seenMs } = situation;
  if (isPromoted(situation) && seenMs !== null && nowMs - seenMs > PATIENCE_MS)
    return `Step ${situation.index} was promoted, and no controller has gone on.`;
  return null;
}

/** Its pause was taken away, and the controller has yet to come to the next step. */
function isPromoted(situation: Situation): boolean {
  const { rollout, index } = situation;
  const step = rollout.steps[index - 1];
  const isPause = step?.kind === 'pause' && rollout.pauses.length === 0 && rollout.controllerPause;
  return isPause && isReleasing(situation) && !rollout.paused && !rollout.promoteFull;
}

/** Milliseconds since the epoch at which time alone next changes what is said; Infinity where it changes nothing. */
export function nextChangeOf(situation: Situation): number {
  const { rollout, stage, nowMs } = situation;
  const endMs = isReleasing(situation) ? (pauseEndMs(situation) ?? NaN) : NaN;
  const moments = [
    stage === 'initial' ? Date.parse(rollout.createdAt) + PATIENCE_MS : NaN,
    rollout.isBehind ? Date.parse(rollout.specWrittenAt ?? '') + PATIENCE_MS : NaN,
    endMs,
    endMs + PATIENCE_MS,
    isPromoted(situation) ? (situation.seenMs ?? NaN) + PATIENCE_MS : NaN,
  ];
  return Math.min(Infinity, ...moments.filter((moment) => moment >= nowMs).map((moment) => moment + 1));
}
