import type { ArgoPods } from '@/lib/rollout/argo/pods';
import { isPastSteps, isReleasing, type ArgoContext } from '@/lib/rollout/argo/context';
import { type ArgoStep, percentOf, describeStep } from '@/lib/rollout/argo/step';
import { pluginOf, waitOfStep } from '@/lib/rollout/argo/waits';
import { actualTraffic, plannedPods, plannedShares, type PlannedShare } from '@/lib/rollout/argo/weights';
import type { PluginRun } from '@/lib/rollout/argo/parse';
import type { RolloutStep } from '@/lib/api/rollouts';
import type { StepPause, Traffic } from '@/lib/api/rollout-fields';
import { type StepState, stepStates } from '@/lib/api/rollout-values';

/**
 * The steps of the plan with their states, one for one. A blue-green rollout is one step: the preview, until
 * it is promoted.
 */
export function stepsOf(context: ArgoContext, pods: ArgoPods): RolloutStep[] {
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
  pods: ArgoPods,
  step: ArgoStep,
  index: number,
  share: PlannedShare,
): RolloutStep {
  const { rollout } = context;
  const planned = plannedPods(rollout, share);
  const state = stateOf(context, step, index, planned);
  const isCurrent = isAtHand(context, index);
  return {
    index,
    state,
    does: describeWithValues(context, step, index),
    since: isCurrent ? (rollout.pauses[0]?.since ?? null) : null,
    replicas: {
      planned,
      requested: formatShare(share, rollout.maxWeight),
      ...countsOf(context, state, planned),
    },
    traffic: {
      planned: plannedTraffic(step, share, rollout.maxWeight),
      ...(isCurrent ? actualTraffic(context) : { actual: null, evidence: null }),
    },
    pause: pauseOf(step),
    startedAt: null,
    readyAt: null,
    waitsFor: isCurrent ? waitOfStep(context, state, step, planned) : null,
    pods: pods.bySteps.get(index) ?? [],
  };
}

function blueGreenStep(context: ArgoContext, pods: ArgoPods): RolloutStep {
  const { rollout, stage } = context;
  const { isAutomatic, automaticSeconds, previewReplicas } = rollout.blueGreen;
  const planned = previewReplicas ?? rollout.desired;
  const state = blueGreenState(context, planned);
  const isCurrent = isAtHand(context, 1) || stage === 'completed';
  const pause: StepPause =
    !isAutomatic && automaticSeconds <= 0
      ? { kind: 'approval' }
      : automaticSeconds > 0
        ? { kind: 'time', seconds: automaticSeconds }
        : { kind: 'none' };
  return {
    index: 1,
    state,
    does: 'Preview until promoted',
    since: isAtHand(context, 1) ? (rollout.pauses[0]?.since ?? null) : null,
    replicas: {
      planned,
      requested: previewReplicas === null ? null : String(previewReplicas),
      ...countsOf(context, state, planned),
    },
    traffic: {
      planned: { kind: 'weight', percent: 0 },
      ...(isCurrent ? actualTraffic(context) : { actual: null, evidence: null }),
    },
    pause,
    startedAt: null,
    readyAt: null,
    waitsFor: isAtHand(context, 1) ? waitOfStep(context, state, null, planned) : null,
    pods: pods.bySteps.get(1) ?? [],
  };
}

/** With what the analysis of the step has measured. */
function describeWithValues({ rollout, stepAnalysis }: ArgoContext, step: ArgoStep, index: number): string {
  const measured = stepAnalysis?.stepIndex === index - 1 ? stepAnalysis.measured : null;
  return step.kind === 'analysis' && measured !== null
    ? `Analysis: ${measured}`
    : describeStep(step, rollout.maxWeight);
}

function isAtHand(context: ArgoContext, index: number): boolean {
  return isReleasing(context) && !isPastSteps(context) && context.index === index;
}

function stateOf(context: ArgoContext, step: ArgoStep, index: number, planned: number): StepState {
  const { stage, rollout, isUnderWay, stoppedIn } = context;
  if (stage === 'completed') return 'done';
  if (stoppedIn !== null) return index < stoppedIn ? 'done' : index === stoppedIn ? 'abandoned' : 'planned';
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

function runningState({ rollout, current }: ArgoContext, step: ArgoStep, planned: number): StepState {
  const reasons = rollout.pauses.map(({ reason }) => reason);
  if (reasons.some((reason) => reason.startsWith('Inconclusive'))) return 'waiting';
  switch (step.kind) {
    case 'pause':
      if (reasons.includes('CanaryPauseStep')) return step.seconds === null ? 'waiting' : 'pausing';
      return rollout.controllerPause ? 'approved' : 'starting';
    case 'setWeight':
    case 'setCanaryScale':
      return (current?.source.scale?.available ?? 0) < planned ? 'upgrading' : 'routing';
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
  const { stage, rollout, current } = context;
  if (stage === 'completed') return 'done';
  if (stage === 'aborted') return 'abandoned';
  if (!isReleasing(context)) return stage === 'unknown' ? 'unknown' : 'planned';
  if (stage === 'degraded') return 'failed';
  const reasons = rollout.pauses.map(({ reason }) => reason);
  if (reasons.some((reason) => reason.startsWith('Inconclusive'))) return 'waiting';
  if (reasons.includes('BlueGreenPause'))
    return rollout.blueGreen.automaticSeconds > 0 ? 'pausing' : 'waiting';
  if (rollout.activeHash === rollout.currentHash) return 'approved';
  if ((current?.source.scale?.available ?? 0) < planned) return 'upgrading';
  return rollout.runs.some(({ role }) => role === 'prePromotion') ? 'analysing' : 'routing';
}

/** Pods left by an abort count for no step. */
const COUNTED: readonly StepState[] = stepStates.filter(
  (state) => !['planned', 'unknown', 'skipped', 'abandoned'].includes(state),
);

/** Of the current step as reported; of completed ones, at most as many as they asked for. */
function countsOf(
  context: ArgoContext,
  state: StepState,
  planned: number,
): Pick<RolloutStep['replicas'], 'updated' | 'ready'> {
  const scale = context.current?.source.scale;
  if (scale == null || !COUNTED.includes(state)) return { updated: null, ready: null };
  const bound = (amount: number) => (state === 'done' ? Math.min(amount, planned) : amount);
  return { updated: bound(scale.current), ready: bound(scale.ready) };
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
