import { type KruiseStep } from '@/lib/rollout/openkruise/parse';
import { type ReleasePods } from '@/lib/rollout/openkruise/pods';
import { type Situation, type Stage } from '@/lib/rollout/openkruise/situation';
import { waitOfStep } from '@/lib/rollout/openkruise/waits';
import { type RolloutStep, type StepPause, type StepState, type Traffic } from '@/lib/rollout/rollout';
import { resolveAmount } from '@/lib/workloads/amount';

const REPORTED = 'The controller says that this step’s traffic has been set.';
const BEFORE = 'The step before has set it, and this one has not come to it.';
const RESTORED = 'The controller gives all traffic back to one revision at the end.';

/** The steps as planned, as they are and with the pods that they brought. */
export function stepsOf(situation: Situation, pods: ReleasePods): RolloutStep[] {
  const { rollout, progress } = situation;
  return rollout.steps.map((step, offset) => {
    const index = offset + 1;
    const state = stepState(situation, index);
    const isCurrent = index === currentIndex(situation);
    const own = pods.bySteps.get(index) ?? [];
    return {
      index,
      state,
      does: null,
      since: isCurrent && isOn(state) ? (progress?.lastUpdateTime ?? null) : null,
      replicas: replicasOf(situation, step, index, state),
      traffic: trafficOf(situation, index, state),
      pause: effectivePause(situation, step, index),
      startedAt: startOf(own, situation),
      readyAt: readyAt(situation, index),
      waitsFor: isCurrent
        ? waitOfStep(situation, step, state, plannedReplicas(step, desiredOf(situation)))
        : null,
      pods: own,
    };
  });
}

/** The step that the release is at, or was at when it was rolled back; 0 where none has begun. */
export function currentIndex({ stage, progress, total }: Situation): number {
  if (
    progress === null ||
    stage === 'starting' ||
    stage === 'idle' ||
    stage === 'initial' ||
    stage === 'missing'
  )
    return 0;
  return Math.max(0, Math.min(progress.stepIndex, total));
}

/** Percentages round up; no step asks for more pods than there are. Null: neither can be told. */
export function plannedReplicas({ replicas }: KruiseStep, desired: number | null): number | null {
  if (replicas === null || desired === null) return typeof replicas === 'number' ? replicas : null;
  if (typeof replicas === 'string' && !/^\d+%?$/.test(replicas)) return null;
  const amount = typeof replicas === 'string' && !replicas.endsWith('%') ? Number(replicas) : replicas;
  return Math.max(0, Math.min(resolveAmount(amount, desired, Math.ceil), desired));
}

export function desiredOf({ facts, batch }: Situation): number | null {
  return facts?.desired ?? batch?.replicas ?? null;
}

/** The pause of the last step counts only where it leaves pods behind; blue-green always honours it. */
export function effectivePause(
  { style, total }: Pick<Situation, 'style' | 'total'>,
  step: KruiseStep,
  index: number,
): StepPause {
  const isWaived = index === total && step.replicas === '100%' && style !== 'blueGreen';
  return isWaived ? { kind: 'none' } : step.pause;
}

export function stepState(situation: Situation, index: number): StepState {
  const { stage, progress } = situation;
  const current = currentIndex(situation);
  switch (stage) {
    case 'initial':
    case 'missing':
    case 'idle':
    case 'starting':
      return 'planned';
    case 'completing':
    case 'completed':
      return 'done';
    case 'rollingBack':
    case 'rolledBack':
      return index < current ? 'done' : index === current ? 'abandoned' : 'planned';
    case 'terminating':
    case 'disabling':
    case 'disabled':
      return leftState(situation, index, current);
    case 'unknown':
      return 'unknown';
    case 'inStep':
    case 'paused':
      if (index !== current) return index < current ? 'done' : 'planned';
      return reportedState(situation, index, progress?.stepState ?? '');
    default:
      return stage satisfies never;
  }
}

/** A Rollout that goes away, or is switched off, promotes what it had begun. */
function leftState({ progress, rollout }: Situation, index: number, current: number): StepState {
  const succeeded = rollout.conditions.some(({ type, status }) => type === 'Succeeded' && status === 'True');
  if (progress === null || current === 0) return 'planned';
  // Of a Rollout without any release so far, the status says the same.
  if (progress.stepState === 'Completed') return succeeded || progress.updated > 0 ? 'done' : 'planned';
  return index < current ? 'done' : index === current ? 'abandoned' : 'planned';
}

function reportedState(situation: Situation, index: number, word: string): StepState {
  switch (word) {
    case 'BeforeStepUpgrade':
      return 'starting';
    case 'StepUpgrade':
      return 'upgrading';
    case 'StepTrafficRouting':
      return 'routing';
    case 'StepMetricsAnalysis':
      return 'analysing';
    case 'StepPaused':
      return pausedState(situation, index);
    case 'StepReady':
      return 'approved';
    case 'Completed':
      return 'done';
    default:
      return 'unknown';
  }
}

function pausedState(situation: Situation, index: number): StepState {
  const step = situation.rollout.steps[index - 1];
  const pause = step === undefined ? { kind: 'approval' } : effectivePause(situation, step, index);
  return pause.kind === 'approval' ? 'waiting' : pause.kind === 'time' ? 'pausing' : 'approved';
}

function isOn(state: StepState): boolean {
  return state !== 'planned' && state !== 'done' && state !== 'skipped';
}

/** Of the step at hand as reported; of those behind it, as much of that as they asked for. */
function replicasOf(
  situation: Situation,
  step: KruiseStep,
  index: number,
  state: StepState,
): RolloutStep['replicas'] {
  const { progress } = situation;
  const planned = plannedReplicas(step, desiredOf(situation));
  const asked = step.replicas === null ? null : String(step.replicas);
  if (progress === null || state === 'planned' || state === 'abandoned' || state === 'unknown')
    return { planned, asked, updated: null, ready: null };
  const isBehind = index < currentIndex(situation);
  const bound = (amount: number) => (isBehind && planned !== null ? Math.min(amount, planned) : amount);
  return { planned, asked, updated: bound(progress.updated), ready: bound(progress.ready) };
}

function trafficOf(situation: Situation, index: number, state: StepState): RolloutStep['traffic'] {
  const { rollout, stage } = situation;
  const planned = rollout.steps[index - 1]?.traffic ?? null;
  const isCurrent = index === currentIndex(situation) && (stage === 'inStep' || stage === 'paused');
  if (!isCurrent || rollout.routes.length === 0)
    return {
      planned,
      actual: null,
      evidence:
        stage === 'completed' && rollout.routes.length > 0 && index === situation.total ? RESTORED : null,
    };
  if (state === 'waiting' || state === 'pausing' || state === 'approved' || state === 'analysing')
    return { planned, actual: planned ?? NO_TRAFFIC, evidence: REPORTED };
  if (state === 'routing') return { planned, actual: null, evidence: null };
  return { planned, actual: rollout.steps[index - 2]?.traffic ?? NO_TRAFFIC, evidence: BEFORE };
}

const NO_TRAFFIC: Traffic = { kind: 'weight', percent: 0 };

/** The oldest of the pods that it made; pods updated in place are older than the release and prove nothing. */
function startOf(pods: RolloutStep['pods'], { rollout }: Situation): string | null {
  const since = rollout.conditions.find(({ type }) => type === 'Progressing')?.lastTransitionTime ?? null;
  if (since === null || pods.length === 0) return null;
  const times = pods.map(({ createdAt }) => createdAt).filter((time) => time >= since);
  return times.length < pods.length ? null : times.reduce((a, b) => (a < b ? a : b));
}

function readyAt({ batch, stage }: Situation, index: number): string | null {
  const isOfRelease: readonly Stage[] = ['inStep', 'paused', 'completing'];
  return isOfRelease.includes(stage) && batch?.batch === index && batch.batchState === 'Ready'
    ? batch.batchReadyTime
    : null;
}
