import type { StepPods } from '@/lib/rollout/common-shape';
import { isPastSteps, isReleasing, type ArgoContext } from '@/lib/rollout/argo/context';
import { type ArgoStep, percentOf, describeStep } from '@/lib/rollout/argo/step';
import { actualTraffic, plannedPods, plannedShares, type PlannedShare } from '@/lib/rollout/argo/weights';
import { boundCounts, NO_COUNTS, placeStep } from '@/lib/engine/steps';
import { findPauseEndMs, describeMissingPods, describeTimedWait, TRAFFIC_WAIT } from '@/lib/engine/waits';
import type { NamedRun, PluginRun } from '@/lib/rollout/argo/parse';
import type { RolloutStep, Wait } from '@/lib/api/rollouts';
import type { StepPause, Traffic } from '@/lib/api/rollout-fields';
import type { StepState } from '@/lib/api/rollout-values';

/**
 * The steps of the plan with their states, one for one. A blue-green rollout is one step: the preview, until
 * it is promoted.
 */
export function stepsOf(context: ArgoContext, pods: StepPods): RolloutStep[] {
  const { rollout } = context;
  if (rollout.strategy === 'blueGreen') return [blueGreenStep(context, pods)];
  const shares = plannedShares(rollout);
  return rollout.steps.map((step, offset) => {
    const share = shares[offset] ?? { weight: 0, scale: null };
    return canaryStep(context, pods, step, offset + 1, share);
  });
}

function canaryStep(
  context: ArgoContext,
  pods: StepPods,
  step: ArgoStep,
  index: number,
  share: PlannedShare,
): RolloutStep {
  const { maxWeight } = context.rollout;
  const planned = plannedPods(context.rollout, share);
  return assembleStep(context, pods, step, {
    index,
    state: stateOf(context, step, index, planned),
    does: describeWithValues(context, step, index),
    planned,
    requested: formatShare(share, maxWeight),
    traffic: plannedTraffic(step, share, maxWeight),
    pause: pauseOf(step),
  });
}

function blueGreenStep(context: ArgoContext, pods: StepPods): RolloutStep {
  const { rollout } = context;
  const { isAutomatic, automaticSeconds, previewReplicas } = rollout.blueGreen;
  const planned = previewReplicas ?? rollout.desired;
  const untilPromoted: StepPause = isAutomatic ? { kind: 'none' } : { kind: 'approval' };
  return assembleStep(context, pods, null, {
    index: 1,
    state: blueGreenState(context, planned),
    does: 'Preview until promoted',
    planned,
    requested: previewReplicas === null ? null : String(previewReplicas),
    traffic: { kind: 'weight', percent: 0 },
    pause: automaticSeconds > 0 ? { kind: 'time', seconds: automaticSeconds } : untilPromoted,
  });
}

interface PlannedStep extends Pick<RolloutStep, 'index' | 'state' | 'does' | 'pause'> {
  planned: number;
  requested: string | null;
  traffic: Traffic;
}

/** `step` null: of a blue-green rollout. */
function assembleStep(
  context: ArgoContext,
  pods: StepPods,
  step: ArgoStep | null,
  { index, state, does, pause, planned, requested, traffic }: PlannedStep,
): RolloutStep {
  const { rollout, stage } = context;
  const isCurrent = isReleasing(context) && !isPastSteps(context) && context.index === index;
  // The Service of a blue-green rollout shows the traffic after its end, too.
  const showsTraffic = isCurrent || (step === null && stage === 'completed');
  return {
    index,
    state,
    does,
    since: isCurrent ? (rollout.pauses[0]?.since ?? null) : null,
    replicas: { planned, requested, ...countsOf(context, state, planned) },
    traffic: {
      planned: traffic,
      ...(showsTraffic ? actualTraffic(context) : { actual: null, evidence: null }),
    },
    pause,
    startedAt: null,
    readyAt: null,
    waitsFor: isCurrent ? waitOfStep(context, state, step, planned) : null,
    pods: pods.bySteps.get(index) ?? [],
  };
}

/** With what the analysis of the step has measured. */
function describeWithValues({ rollout, stepAnalysis }: ArgoContext, step: ArgoStep, index: number): string {
  const measured = stepAnalysis?.stepIndex === index - 1 ? stepAnalysis.measured : null;
  return step.kind === 'analysis' && measured !== null
    ? `Analysis: ${measured}`
    : describeStep(step, rollout.maxWeight);
}

function stateOf(context: ArgoContext, step: ArgoStep, index: number, planned: number): StepState {
  const { stage, rollout, isUnderWay, stoppedIn } = context;
  if (stage === 'completed') return 'done';
  if (stoppedIn !== null) return placeStep(index, stoppedIn, 'abandoned');
  if (!isUnderWay || !isReleasing(context)) return stage === 'unknown' ? 'unknown' : 'planned';
  const done = rollout.stepIndex ?? 0;
  if (index <= done) return pluginOf(context, index)?.disabled === true ? 'skipped' : 'done';
  if (index > done + 1) return rollout.promoteFull ? 'skipped' : 'planned';
  if (rollout.promoteFull) return 'skipped';
  if (stage === 'degraded') return 'failed';
  if (step.kind === 'plugin') return pluginState(pluginOf(context, index));
  return runningState(context, step, planned);
}

/** The controller polls it until it reports completion. */
function pluginState(run: PluginRun | undefined): StepState {
  if (run?.disabled === true) return 'skipped';
  switch (run?.phase) {
    case 'Successful':
      return 'approved';
    case 'Failed':
    case 'Error':
      return 'failed';
    default:
      return 'starting';
  }
}

function runningState(context: ArgoContext, step: ArgoStep, planned: number): StepState {
  const { rollout } = context;
  if (isInconclusive(context)) return 'waiting';
  switch (step.kind) {
    case 'pause':
      if (isPausedFor(context, 'CanaryPauseStep')) return step.seconds === null ? 'waiting' : 'pausing';
      return rollout.controllerPause ? 'approved' : 'starting';
    case 'setWeight':
    case 'setCanaryScale':
      return isShort(context, planned) ? 'upgrading' : 'routing';
    case 'setHeaderRoute':
    case 'setMirrorRoute':
      return 'routing';
    case 'analysis':
    case 'experiment':
      return 'analysing';
    case 'plugin':
    case 'unknown':
      return 'starting';
  }
}

function blueGreenState(context: ArgoContext, planned: number): StepState {
  const { stage, rollout } = context;
  if (stage === 'completed') return 'done';
  if (stage === 'aborted') return 'abandoned';
  if (!isReleasing(context)) return stage === 'unknown' ? 'unknown' : 'planned';
  if (stage === 'degraded') return 'failed';
  if (isInconclusive(context)) return 'waiting';
  if (isPausedFor(context, 'BlueGreenPause'))
    return rollout.blueGreen.automaticSeconds > 0 ? 'pausing' : 'waiting';
  if (rollout.activeHash === rollout.currentHash) return 'approved';
  if (isShort(context, planned)) return 'upgrading';
  return rollout.runs.some(({ role }) => role === 'prePromotion') ? 'analysing' : 'routing';
}

function isInconclusive({ rollout }: ArgoContext): boolean {
  return rollout.pauses.some(({ reason }) => reason.startsWith('Inconclusive'));
}

function isPausedFor({ rollout }: ArgoContext, reason: string): boolean {
  return rollout.pauses.some((pause) => pause.reason === reason);
}

function isShort(context: ArgoContext, planned: number): boolean {
  return availablePods(context) < planned;
}

/** Of the new revision. */
function availablePods({ current }: ArgoContext): number {
  return current?.source.scale?.available ?? 0;
}

/** What the current step waits for; null where nothing blocks it. `step` null: of a blue-green rollout. */
function waitOfStep(
  context: ArgoContext,
  state: StepState,
  step: ArgoStep | null,
  planned: number,
): Wait | null {
  const { rollout, index, nowMs } = context;
  if (step?.kind === 'plugin') return waitForPlugin(step.name, pluginOf(context, index));
  switch (state) {
    case 'upgrading':
      return describeMissingPods(availablePods(context), planned, 'the new revision', 'available');
    case 'routing':
      return rollout.isRouted ? TRAFFIC_WAIT : null;
    case 'analysing':
      return { kind: 'analysis', text: analysisText(rollout.runs) };
    case 'waiting':
      return { kind: 'approval', text: approvalText(context) };
    case 'pausing': {
      const seconds = step?.kind === 'pause' ? (step.seconds ?? 0) : rollout.blueGreen.automaticSeconds;
      return describeTimedWait(seconds, findCurrentPauseEndMs(context), nowMs);
    }
    default:
      return null;
  }
}

/** What the status reports about the last run of a step's plugin; `index` counts from 1. */
function pluginOf({ rollout }: ArgoContext, index: number): PluginRun | undefined {
  return rollout.plugins.findLast((run) => run.index === index - 1 && !run.isUndoing);
}

function waitForPlugin(name: string, run: PluginRun | undefined): Wait | null {
  if (run?.phase === 'Successful' || run?.disabled === true) return null;
  const detail = run?.message == null ? '' : `: ${run.message.replace(/\.$/, '')}`;
  const text =
    run?.phase == null ? `Waiting for plugin ${name} to start.` : `Plugin ${name} is ${run.phase}${detail}.`;
  return { kind: 'analysis', text };
}

function approvalText({ rollout, index }: ArgoContext): string {
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

/** When the current pause ends, in milliseconds since the epoch; NaN where no time ends it. */
export function findCurrentPauseEndMs({ rollout, index }: ArgoContext): number {
  const pause = rollout.pauses[0];
  const step = rollout.steps[index - 1];
  let seconds: number | null = null;
  if (pause?.reason === 'BlueGreenPause') seconds = rollout.blueGreen.automaticSeconds;
  if (pause?.reason === 'CanaryPauseStep' && step?.kind === 'pause') seconds = step.seconds;
  return seconds === null || seconds <= 0 ? NaN : findPauseEndMs(pause?.since ?? null, seconds);
}

/** Pods left by an abort count for no step. */
const UNCOUNTED: readonly StepState[] = ['planned', 'unknown', 'skipped', 'abandoned'];

/** Of the current step as reported; of completed ones, at most as many as they requested. */
function countsOf({ current }: ArgoContext, state: StepState, planned: number): typeof NO_COUNTS {
  const scale = current?.source.scale;
  if (scale == null || UNCOUNTED.includes(state)) return NO_COUNTS;
  return boundCounts({ updated: scale.current, ready: scale.ready }, state === 'done' ? planned : null);
}

function formatShare({ weight, scale }: PlannedShare, max: number): string {
  if (scale?.replicas != null) return String(scale.replicas);
  return `${scale?.weight ?? percentOf(weight, max)}%`;
}

function plannedTraffic(step: ArgoStep, { weight }: PlannedShare, max: number): Traffic {
  if (step.kind === 'setHeaderRoute' && step.rules.length > 0) return { kind: 'matches', rules: step.rules };
  return { kind: 'weight', percent: percentOf(weight, max) };
}

function pauseOf(step: ArgoStep): StepPause {
  if (step.kind !== 'pause') return { kind: 'none' };
  return step.seconds === null ? { kind: 'approval' } : { kind: 'time', seconds: step.seconds };
}
