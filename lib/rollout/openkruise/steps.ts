import type { KruiseStep } from '@/lib/rollout/openkruise/parse';
import { type StepPods, findCondition, shapeStep } from '@/lib/rollout/common-shape';
import type { KruiseContext, KruiseStage } from '@/lib/rollout/openkruise/context';
import { boundCounts, NO_COUNTS, placeStep } from '@/lib/engine/steps';
import { findPauseEndMs, describeMissingPods, describeTimedWait, TRAFFIC_WAIT } from '@/lib/engine/waits';
import { formatCount } from '@/lib/format/text';
import type { RolloutStep, Wait } from '@/lib/api/rollouts';
import type { StepPause, Traffic } from '@/lib/api/rollout-fields';
import type { StepState } from '@/lib/api/rollout-values';
import { resolveAmount } from '@/lib/kube/amount';

const REPORTED = 'The controller says that this step’s traffic has been set.';
const BEFORE = 'The step before has set it, and this one has not come to it.';
const RESTORED = 'The controller gives all traffic back to one revision at the end.';

/** The planned steps, with their states and the pods that they added. */
export function listKruiseSteps(context: KruiseContext, pods: StepPods): RolloutStep[] {
  const { rollout, progress } = context;
  return rollout.steps.map((step, offset) => {
    const index = offset + 1;
    const state = stepState(context, index);
    const isCurrent = index === context.index;
    return {
      ...shapeStep(index, state, pods),
      since: isCurrent && hasBegun(state) ? (progress?.lastUpdateTime ?? null) : null,
      replicas: replicasOf(context, step, index, state),
      traffic: trafficOf(context, index, state),
      pause: effectivePause(context, step, index),
      startedAt: startOf(pods.bySteps.get(index) ?? [], context),
      readyAt: readyAt(context, index),
      waitsFor: isCurrent ? waitOfStep(context, step, state) : null,
    };
  });
}

/** Percentages round up; no step asks for more pods than exist. Null: neither is known. */
export function plannedReplicas({ replicas }: KruiseStep, desired: number | null): number | null {
  if (replicas === null || desired === null) return typeof replicas === 'number' ? replicas : null;
  if (typeof replicas === 'string' && !/^\d+%?$/.test(replicas)) return null;
  const amount = typeof replicas === 'string' && !replicas.endsWith('%') ? Number(replicas) : replicas;
  return Math.max(0, Math.min(resolveAmount(amount, desired, Math.ceil), desired));
}

export function desiredOf({ facts, batchRelease: batch }: KruiseContext): number | null {
  return facts?.desired ?? batch?.replicas ?? null;
}

/** The pause of the last step counts only where pods remain to be updated; blue-green always applies it. */
function effectivePause(
  { style, total }: Pick<KruiseContext, 'style' | 'total'>,
  step: KruiseStep,
  index: number,
): StepPause {
  const isWaived = index === total && step.replicas === '100%' && style !== 'blueGreen';
  return isWaived ? { kind: 'none' } : step.pause;
}

export function stepState(context: KruiseContext, index: number): StepState {
  const { stage, progress } = context;
  const current = context.index;
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
      return placeStep(index, current, 'abandoned');
    case 'bypassing':
    case 'bypassed':
      return index < current ? 'done' : 'skipped';
    case 'terminating':
    case 'disabling':
    case 'disabled':
      return leftState(context, index, current);
    case 'unknown':
      return 'unknown';
    case 'inStep':
    case 'paused':
      return placeStep(
        index,
        current,
        progress?.stepState === 'StepPaused'
          ? pausedState(context, index)
          : (STEP_STATES.get(progress?.stepState ?? '') ?? 'unknown'),
      );
    default:
      return stage satisfies never;
  }
}

/** A Rollout that is deleted or disabled promotes the rollout in progress. */
function leftState({ progress, rollout }: KruiseContext, index: number, current: number): StepState {
  const succeeded = findCondition(rollout, 'Succeeded')?.status === 'True';
  if (progress === null || current === 0) return 'planned';
  // The status of a Rollout before its first rollout is the same.
  if (progress.stepState === 'Completed') return succeeded || progress.updated > 0 ? 'done' : 'planned';
  return placeStep(index, current, 'abandoned');
}

const STEP_STATES: ReadonlyMap<string, StepState> = new Map([
  ['BeforeStepUpgrade', 'starting'],
  ['StepUpgrade', 'upgrading'],
  ['StepTrafficRouting', 'routing'],
  ['StepMetricsAnalysis', 'analysing'],
  ['StepReady', 'approved'],
  ['Completed', 'done'],
]);

function pausedState(context: KruiseContext, index: number): StepState {
  const step = context.rollout.steps[index - 1];
  const pause = step === undefined ? { kind: 'approval' } : effectivePause(context, step, index);
  return pause.kind === 'approval' ? 'waiting' : pause.kind === 'time' ? 'pausing' : 'approved';
}

/** What the current step waits for; null where nothing blocks it. */
function waitOfStep(context: KruiseContext, step: KruiseStep, state: StepState): Wait | null {
  const { progress, nowMs, rollout } = context;
  if (progress === null) return null;
  switch (state) {
    case 'upgrading':
    case 'starting': {
      const planned = plannedReplicas(step, desiredOf(context));
      const { ready } = progress;
      if (planned !== null) return describeMissingPods(ready, planned, 'the new revision', 'ready');
      const text = `${formatCount(ready, 'pod')} of the new revision ${ready === 1 ? 'is' : 'are'} ready.`;
      return { kind: 'pods', text, missing: null };
    }
    case 'routing':
      return rollout.routes.length === 0 ? null : TRAFFIC_WAIT;
    case 'analysing':
      return { kind: 'analysis', text: 'The analysis is running.' };
    case 'waiting':
      return { kind: 'approval', text: `Waiting for approval of step ${progress.stepIndex}.` };
    case 'pausing': {
      if (step.pause.kind !== 'time') return null;
      const { seconds } = step.pause;
      return describeTimedWait(seconds, findPauseEndMs(progress.lastUpdateTime, seconds), nowMs);
    }
    default:
      return null;
  }
}

function hasBegun(state: StepState): boolean {
  return state !== 'planned' && state !== 'done' && state !== 'skipped';
}

/** Of the current step as reported; of completed ones, at most as many as they requested. */
function replicasOf(
  context: KruiseContext,
  step: KruiseStep,
  index: number,
  state: StepState,
): RolloutStep['replicas'] {
  const { progress } = context;
  const planned = plannedReplicas(step, desiredOf(context));
  const requested = step.replicas === null ? null : String(step.replicas);
  if (progress === null || state === 'planned' || state === 'abandoned' || state === 'unknown')
    return { planned, requested, ...NO_COUNTS };
  const isBehind = index < context.index;
  return { planned, requested, ...boundCounts(progress, isBehind ? planned : null) };
}

function trafficOf(context: KruiseContext, index: number, state: StepState): RolloutStep['traffic'] {
  const { rollout, stage } = context;
  const planned = rollout.steps[index - 1]?.traffic ?? null;
  const isCurrent = index === context.index && (stage === 'inStep' || stage === 'paused');
  if (!isCurrent || rollout.routes.length === 0)
    return {
      planned,
      actual: null,
      evidence:
        stage === 'completed' && rollout.routes.length > 0 && index === context.total ? RESTORED : null,
    };
  if (state === 'waiting' || state === 'pausing' || state === 'approved' || state === 'analysing')
    return { planned, actual: planned ?? NO_TRAFFIC, evidence: REPORTED };
  if (state === 'routing') return { planned, actual: null, evidence: null };
  return { planned, actual: rollout.steps[index - 2]?.traffic ?? NO_TRAFFIC, evidence: BEFORE };
}

const NO_TRAFFIC: Traffic = { kind: 'weight', percent: 0 };

/**
 * The oldest of the pods that it created; pods updated in place are older than the rollout and prove nothing.
 */
function startOf(pods: RolloutStep['pods'], { rollout }: KruiseContext): string | null {
  const since = findCondition(rollout, 'Progressing')?.lastTransitionTime ?? null;
  if (since === null || pods.length === 0) return null;
  const times = pods.map(({ createdAt }) => createdAt).filter((time) => time >= since);
  return times.length < pods.length ? null : times.reduce((a, b) => (a < b ? a : b));
}

function readyAt({ batchRelease: batch, stage }: KruiseContext, index: number): string | null {
  const rolloutStages: readonly KruiseStage[] = ['inStep', 'paused', 'completing'];
  return rolloutStages.includes(stage) && batch?.batch === index && batch.batchState === 'Ready'
    ? batch.batchReadyTime
    : null;
}
