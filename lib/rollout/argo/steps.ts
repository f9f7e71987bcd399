import { type ReleasePods } from '@/lib/rollout/argo/pods';
import { isPastSteps, isReleasing, type Situation } from '@/lib/rollout/argo/situation';
import { type ArgoStep, percentOf, stepWords } from '@/lib/rollout/argo/step';
import { pluginOf, waitOfStep } from '@/lib/rollout/argo/waits';
import { actualTraffic, plannedPods, plannedShares, type PlannedShare } from '@/lib/rollout/argo/weights';
import { type PluginRun } from '@/lib/rollout/argo/parse';
import {
  type RolloutStep,
  type StepPause,
  type StepState,
  stepStates,
  type Traffic,
} from '@/lib/rollout/rollout';

/** The steps of the plan as they are, one for one. A blue-green release is one step: the preview, until it is promoted. */
export function stepsOf(situation: Situation, pods: ReleasePods): RolloutStep[] {
  const { rollout } = situation;
  if (rollout.strategy === 'blueGreen') return [blueGreenStep(situation, pods)];
  const shares = plannedShares(rollout);
  return rollout.steps.map((step, offset) => {
    const share = shares[offset] ?? { weight: 0, scale: null };
    return canaryStep(situation, pods, step, offset + 1, share);
  });
}

function canaryStep(
  situation: Situation,
  pods: ReleasePods,
  step: ArgoStep,
  index: number,
  share: PlannedShare,
): RolloutStep {
  const { rollout } = situation;
  const planned = plannedPods(rollout, share);
  const state = stateOf(situation, step, index, planned);
  const isCurrent = isAtHand(situation, index);
  return {
    index,
    state,
    does: stepWords(step, rollout.maxWeight),
    since: isCurrent ? (rollout.pauses[0]?.since ?? null) : null,
    replicas: { planned, asked: askedOf(share, rollout.maxWeight), ...countsOf(situation, state, planned) },
    traffic: {
      planned: plannedTraffic(step, share, rollout.maxWeight),
      ...(isCurrent ? actualTraffic(situation) : { actual: null, evidence: null }),
    },
    pause: pauseOf(step),
    startedAt: null,
    readyAt: null,
    waitsFor: isCurrent ? waitOfStep(situation, state, step, planned) : null,
    pods: pods.bySteps.get(index) ?? [],
  };
}

function blueGreenStep(situation: Situation, pods: ReleasePods): RolloutStep {
  const { rollout, stage } = situation;
  const { isAutomatic, automaticSeconds, previewReplicas } = rollout.blueGreen;
  const planned = previewReplicas ?? rollout.desired;
  const state = blueGreenState(situation, planned);
  const isCurrent = isAtHand(situation, 1) || stage === 'completed';
  const pause: StepPause =
    !isAutomatic && automaticSeconds <= 0
      ? { kind: 'approval' }
      : automaticSeconds > 0
        ? { kind: 'time', seconds: automaticSeconds }
        : { kind: 'none' };
  return {
    index: 1,
    state,
    does: 'starts the new pods as a preview, until they are promoted',
    since: isAtHand(situation, 1) ? (rollout.pauses[0]?.since ?? null) : null,
    replicas: {
      planned,
      asked: previewReplicas === null ? null : String(previewReplicas),
      ...countsOf(situation, state, planned),
    },
    traffic: {
      planned: { kind: 'weight', percent: 0 },
      ...(isCurrent ? actualTraffic(situation) : { actual: null, evidence: null }),
    },
    pause,
    startedAt: null,
    readyAt: null,
    waitsFor: isAtHand(situation, 1) ? waitOfStep(situation, state, null, planned) : null,
    pods: pods.bySteps.get(1) ?? [],
  };
}

function isAtHand(situation: Situation, index: number): boolean {
  return isReleasing(situation) && !isPastSteps(situation) && situation.index === index;
}

function stateOf(situation: Situation, step: ArgoStep, index: number, planned: number): StepState {
  const { stage, rollout, isUnderWay, stoppedIn } = situation;
  if (stage === 'completed') return 'done';
  if (stoppedIn !== null) return index < stoppedIn ? 'done' : index === stoppedIn ? 'abandoned' : 'planned';
  if (!isUnderWay || !isReleasing(situation)) return stage === 'unknown' ? 'unknown' : 'planned';
  const done = rollout.stepIndex ?? 0;
  if (index <= done) return pluginOf(situation, index)?.disabled === true ? 'skipped' : 'done';
  if (index > done + 1) return rollout.promoteFull ? 'skipped' : 'planned';
  if (rollout.promoteFull) return 'skipped';
  if (stage === 'degraded') return 'failed';
  if (step.kind === 'plugin') return pluginState(pluginOf(situation, index));
  return runningState(situation, step, planned);
}

/** The controller asks it again and again until it says that it is done. */
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

function runningState({ rollout, current }: Situation, step: ArgoStep, planned: number): StepState {
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

function blueGreenState(situation: Situation, planned: number): StepState {
  const { stage, rollout, current } = situation;
  if (stage === 'completed') return 'done';
  if (stage === 'aborted') return 'abandoned';
  if (!isReleasing(situation)) return stage === 'unknown' ? 'unknown' : 'planned';
  if (stage === 'degraded') return 'failed';
  const reasons = rollout.pauses.map(({ reason }) => reason);
  if (reasons.some((reason) => reason.startsWith('Inconclusive'))) return 'waiting';
  if (reasons.includes('BlueGreenPause'))
    return rollout.blueGreen.automaticSeconds > 0 ? 'pausing' : 'waiting';
  if (rollout.activeHash === rollout.currentHash) return 'approved';
  if ((current?.source.scale?.available ?? 0) < planned) return 'upgrading';
  return rollout.runs.some(({ role }) => role === 'prePromotion') ? 'analysing' : 'routing';
}

/** What an abort left behind is counted for no step. */
const COUNTED: readonly StepState[] = stepStates.filter(
  (state) => !['planned', 'unknown', 'skipped', 'abandoned'].includes(state),
);

/** Of the step at hand as it is; of those behind it, as much of that as they asked for. */
function countsOf(
  situation: Situation,
  state: StepState,
  planned: number,
): Pick<RolloutStep['replicas'], 'updated' | 'ready'> {
  const scale = situation.current?.source.scale;
  if (scale == null || !COUNTED.includes(state)) return { updated: null, ready: null };
  const bound = (amount: number) => (state === 'done' ? Math.min(amount, planned) : amount);
  return { updated: bound(scale.current), ready: bound(scale.ready) };
}

function askedOf({ weight, scale }: PlannedShare, max: number): string {
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
