import type { NamedRun, PluginRun } from '@/lib/rollout/argo/parse';
import { isReleasing, type ArgoContext } from '@/lib/rollout/argo/context';
import type { ArgoStep } from '@/lib/rollout/argo/step';
import type { Wait } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { formatCount, formatUtc } from '@/lib/format/text';

/** Longer than any running controller leaves a change unread, or a completed wait. */
const STALL_AFTER_MS = 60_000;

/** What the current step waits for; null where nothing blocks it. `step` null: of a blue-green rollout. */
export function waitOfStep(
  context: ArgoContext,
  state: StepState,
  step: ArgoStep | null,
  planned: number,
): Wait | null {
  const { rollout, current, index } = context;
  if (step?.kind === 'plugin') return pluginWait(step.name, pluginOf(context, index));
  switch (state) {
    case 'upgrading': {
      const ready = current?.source.scale?.available ?? 0;
      const missing = Math.max(0, planned - ready);
      const text = `${ready} of ${formatCount(planned, 'pod')} of the new revision ${planned === 1 ? 'is' : 'are'} available.`;
      return missing === 0 ? null : { kind: 'pods', text, missing };
    }
    case 'routing':
      return rollout.isRouted ? { kind: 'traffic', text: 'Setting the traffic of this step.' } : null;
    case 'analysing':
      return { kind: 'analysis', text: analysisText(rollout.runs) };
    case 'waiting':
      return { kind: 'approval', text: approvalText(context, index) };
    case 'pausing': {
      const seconds = step?.kind === 'pause' ? (step.seconds ?? 0) : rollout.blueGreen.automaticSeconds;
      return timedWait(seconds, context);
    }
    default:
      return null;
  }
}

/** What the status reports about the last run of a step's plugin; `index` counts from 1. */
export function pluginOf({ rollout }: ArgoContext, index: number): PluginRun | undefined {
  return rollout.plugins.findLast((run) => run.index === index - 1 && !run.isUndoing);
}

function pluginWait(name: string, run: PluginRun | undefined): Wait | null {
  if (run?.phase === 'Successful' || run?.disabled === true) return null;
  const detail = run?.message == null ? '' : `: ${run.message.replace(/\.$/, '')}`;
  const text =
    run?.phase == null ? `Waiting for plugin ${name} to start.` : `Plugin ${name} is ${run.phase}${detail}.`;
  return { kind: 'analysis', text };
}

function approvalText({ rollout }: ArgoContext, index: number): string {
  const reason = rollout.pauses.find((pause) => pause.reason.startsWith('Inconclusive'))?.reason;
  if (reason !== undefined)
    return `${reason === 'InconclusiveExperiment' ? 'The experiment' : 'The analysis'} was inconclusive: promote or abort the rollout.`;
  return rollout.strategy === 'blueGreen'
    ? 'Waiting for promotion of the new revision.'
    : `Waiting for promotion of step ${index}.`;
}

function analysisText(runs: readonly NamedRun[]): string {
  const run = runs.find(({ role }) => role === 'step' || role === 'prePromotion') ?? runs[0];
  return run === undefined
    ? 'The analysis is running.'
    : `AnalysisRun ${run.name}: ${run.status ?? 'not started'}.`;
}

/** When the current pause ends; null where no time ends it. */
function pauseEndMs({ rollout, index }: ArgoContext): number | null {
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

function timedWait(seconds: number, context: ArgoContext): Wait {
  const endMs = pauseEndMs(context);
  const until = endMs === null ? null : new Date(endMs).toISOString();
  const text =
    until === null || endMs === null
      ? `Continues automatically after ${formatCount(seconds, 'second')}.`
      : endMs <= context.nowMs
        ? `The pause of ${formatCount(seconds, 'second')} ended at ${formatUtc(until)}.`
        : `Continues automatically at ${formatUtc(until)}.`;
  return { kind: 'time', text, seconds, until };
}

/**
 * Why the Rollout appears to have no controller: a running one reads a change, and the end of a wait, within
 * seconds. Null where it shows activity, or where none is expected.
 */
export function stallOf(context: ArgoContext): string | null {
  const { rollout, stage, nowMs } = context;
  const isLong = (since: string | null) => since !== null && nowMs - Date.parse(since) > STALL_AFTER_MS;
  if (stage === 'initial' && isLong(rollout.createdAt))
    return 'No controller has processed this Rollout since it was created.';
  if (rollout.isBehind && isLong(rollout.specWrittenAt))
    return `The Rollout changed at ${formatUtc(rollout.specWrittenAt ?? '')}, and no controller has processed the change.`;
  const endMs = pauseEndMs(context);
  if (isReleasing(context) && !rollout.paused && endMs !== null && nowMs - endMs > STALL_AFTER_MS)
    return `The pause of step ${context.index} is over, but the controller has not reacted.`;
  const { observedMs } = context;
  if (isPromoted(context) && observedMs !== null && nowMs - observedMs > STALL_AFTER_MS)
    return `Step ${context.index} was promoted, but the controller has not reacted.`;
  return null;
}

/** Its pause was removed, and the controller has not started the next step yet. */
function isPromoted(context: ArgoContext): boolean {
  const { rollout, index } = context;
  const step = rollout.steps[index - 1];
  const isPause = step?.kind === 'pause' && rollout.pauses.length === 0 && rollout.controllerPause;
  return isPause && isReleasing(context) && !rollout.paused && !rollout.promoteFull;
}

/**
 * Milliseconds since the epoch at which time alone next changes the answer; Infinity where it changes
 * nothing.
 */
export function nextChangeOf(context: ArgoContext): number {
  const { rollout, stage, nowMs } = context;
  const endMs = isReleasing(context) ? (pauseEndMs(context) ?? NaN) : NaN;
  const moments = [
    stage === 'initial' ? Date.parse(rollout.createdAt) + STALL_AFTER_MS : NaN,
    rollout.isBehind ? Date.parse(rollout.specWrittenAt ?? '') + STALL_AFTER_MS : NaN,
    endMs,
    endMs + STALL_AFTER_MS,
    isPromoted(context) ? (context.observedMs ?? NaN) + STALL_AFTER_MS : NaN,
  ];
  return Math.min(Infinity, ...moments.filter((moment) => moment >= nowMs).map((moment) => moment + 1));
}
