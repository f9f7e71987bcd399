import { boundCounts, NO_COUNTS, placeStep } from '@/lib/engine/steps';
import { findPauseEndMs, describeMissingPods, describeTimedWait, TRAFFIC_WAIT } from '@/lib/engine/waits';
import type { RolloutStep, Wait } from '@/lib/api/rollouts';
import type { StepPause, Traffic } from '@/lib/api/rollout-fields';
import type { StepState } from '@/lib/api/rollout-values';
import { isPastSteps, isReleasing, type ArgoContext } from '@/lib/argo/context';
import type { NamedRun, PluginRun } from '@/lib/argo/reading';
import { type ArgoStep, percentOf, describeStep } from '@/lib/argo/step';
import { actualTraffic, plannedPods, plannedShares, type PlannedShare } from '@/lib/argo/weights';
import {
  comparePodNames,
  listPodsOf,
  NO_TRAFFIC_KNOWN,
  shapeStep,
  type StepPods,
} from '@/lib/rollout/common-shape';

/**
 * The steps of the plan with their states, one for one. A blue-green rollout is one step: the preview, until
 * it is promoted.
 */
export function listArgoSteps(context: ArgoContext, pods: StepPods): RolloutStep[] {
  const { rollout, stage } = context;
  const shares = plannedShares(rollout);
  const plan: readonly ArgoStep[] = rollout.strategy === 'blueGreen' ? [{ kind: 'preview' }] : rollout.steps;
  return plan.map((step, offset) => {
    const index = offset + 1;
    const share = shares[offset] ?? { weight: 0, scale: null };
    const isPreview = step.kind === 'preview';
    const { previewReplicas } = rollout.blueGreen;
    const planned = isPreview ? (previewReplicas ?? rollout.desired) : plannedPods(rollout, share);
    const preview = previewReplicas === null ? null : String(previewReplicas);
    const state = isPreview ? previewState(context, planned) : stateOf(context, step, index, planned);
    const isCurrent = isReleasing(context) && !isPastSteps(context) && context.index === index;
    // The Service of a blue-green rollout shows the traffic after its end, too.
    const showsTraffic = isCurrent || (isPreview && stage === 'completed');
    return {
      ...shapeStep(index, state, pods),
      does: describeWithValues(context, step, index),
      since: isCurrent ? (rollout.pauses[0]?.since ?? null) : null,
      replicas: {
        planned,
        requested: isPreview ? preview : formatShare(share, rollout.maxWeight),
        ...countsOf(context, state, planned),
      },
      traffic: {
        planned: plannedTraffic(step, share, rollout.maxWeight),
        ...(showsTraffic ? actualTraffic(context) : NO_TRAFFIC_KNOWN),
      },
      pause: pauseOf(step, rollout),
      waitsFor: isCurrent ? waitOfStep(context, state, step, planned) : null,
    };
  });
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
    case 'preview':
    case 'unknown':
      return 'starting';
  }
}

function previewState(context: ArgoContext, planned: number): StepState {
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

/** What the current step waits for; null where nothing blocks it. */
function waitOfStep(context: ArgoContext, state: StepState, step: ArgoStep, planned: number): Wait | null {
  const { rollout, index, nowMs } = context;
  if (step.kind === 'plugin') return waitForPlugin(step.name, pluginOf(context, index));
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
      const seconds = step.kind === 'pause' ? (step.seconds ?? 0) : rollout.blueGreen.automaticSeconds;
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

function pauseOf(step: ArgoStep, { blueGreen }: ArgoContext['rollout']): StepPause {
  const { automaticSeconds, isAutomatic } = blueGreen;
  if (step.kind === 'pause' && step.seconds !== null) return { kind: 'time', seconds: step.seconds };
  if (step.kind === 'preview' && automaticSeconds > 0) return { kind: 'time', seconds: automaticSeconds };
  const isUntilPromoted = step.kind === 'pause' || (step.kind === 'preview' && !isAutomatic);
  return { kind: isUntilPromoted ? 'approval' : 'none' };
}

/**
 * The pods that each step added. Argo Rollouts labels no pod with its step and records no time of a step, so
 * this is certain only where exactly one of the started steps requested pods.
 */
export function findArgoPods(context: ArgoContext): StepPods {
  const { facts, current } = context;
  const bySteps = new Map<number, StepPods['unassigned']>();
  const isShown = isReleasing(context) || context.stage === 'completed';
  if (facts === null || current === null || !isShown) return { bySteps, unassigned: [] };
  const pods = listPodsOf(facts, current).sort(comparePodNames);
  if (!isReleasing(context)) return { bySteps, unassigned: pods };
  const [step, ...others] = growingSteps(context);
  if (step === undefined || others.length > 0) return { bySteps, unassigned: pods };
  bySteps.set(step, pods);
  return { bySteps, unassigned: [] };
}

/** The started steps that ask for more pods than there were; the end of all steps is not among them. */
function growingSteps(context: ArgoContext): number[] {
  const { rollout, index } = context;
  if (rollout.strategy === 'blueGreen') return [1];
  if (isPastSteps(context) || rollout.promoteFull) return [];
  let most = 0;
  return plannedShares(rollout)
    .slice(0, index)
    .flatMap((share, offset) => {
      const planned = plannedPods(rollout, share);
      if (planned <= most) return [];
      most = planned;
      return [offset + 1];
    });
}
