import {
  type RolloutStatus,
  secondsOf,
  type ArgoStep,
  stepsOf,
  stepText,
} from '@/sandbox/controllers/argo/argo-rollout';
import { analyse } from '@/sandbox/controllers/argo/analysis';
import { labelPods } from '@/sandbox/controllers/argo/mark-pods';
import { pausedSince } from '@/sandbox/controllers/argo/pause';
import {
  availableOf,
  pruneOldest,
  isInRollbackWindow,
  liftDeadlines,
  numberFresh,
} from '@/sandbox/controllers/argo/replica-sets';
import { resizeCanary, sizesAtStep } from '@/sandbox/controllers/argo/canary-sizes';
import { restartPods } from '@/sandbox/controllers/argo/restart';
import { pointCanaryServices } from '@/sandbox/controllers/argo/services';
import {
  atTheBeginning,
  baseStatus,
  hasNewTemplate,
  promote,
  saveStatus,
} from '@/sandbox/controllers/argo/status';
import { weightsOf } from '@/sandbox/controllers/argo/weights';
import { hashOf, type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';
import { goJson } from '@/sandbox/controllers/revisions/go-json';

/**
 * Takes a Rollout through the steps of its canary.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/canary.go
 */
export async function rollCanary(turn: ArgoReconcile): Promise<void> {
  await numberFresh(turn);
  if (hasNewTemplate(turn) || hasNewSteps(turn)) return saveStatus(turn, beginning(turn));
  await restartPods(turn);
  await labelPods(turn);
  await pruneOldest(turn);
  await pointCanaryServices(turn);
  const analysis = await analyse(turn);
  if (!turn.pause.hasBegun) {
    await liftDeadlines(turn, false);
    if (turn.isHalted || !(await resizeCanary(turn))) pauseAtStep(turn);
  }
  const weights = weightsOf(turn);
  const canary = { ...(weights && { weights }), ...(analysis && { currentStepAnalysisRunStatus: analysis }) };
  const draft = { ...baseStatus(turn), canary, currentStepHash: stepHash(turn) };
  await saveStatus(turn, moved(turn, draft));
}

function hasNewSteps(turn: ArgoReconcile): boolean {
  const { currentStepHash } = turn.rollout.status;
  return currentStepHash !== undefined && currentStepHash !== stepHash(turn);
}

function stepHash({ rollout }: ArgoReconcile): string {
  return safeEncode(String(fnv1a(Buffer.from(goJson([...stepsOf(rollout.spec)])))));
}

/** At the first step; at the last one where the return to earlier pods skips the steps. */
function beginning(turn: ArgoReconcile): RolloutStatus {
  const draft = atTheBeginning(turn, { ...baseStatus(turn), currentStepHash: stepHash(turn) });
  const count = stepsOf(turn.rollout.spec).length;
  const { fresh } = turn;
  if (fresh === undefined || count === 0) return draft;
  const isStable = hashOf(fresh) === draft.stableRS;
  const isActive = fresh.spec.replicas > 0 && isInRollbackWindow(turn);
  if (!isStable && !isActive) return draft;
  const what = isStable ? 'stable ReplicaSets' : 'active ReplicaSets within RollbackWindow';
  turn.record('Normal', 'SkipSteps', `Rollback to ${what}`);
  return { ...draft, currentStepIndex: count };
}

/** The step after this reconcile. */
function moved(turn: ArgoReconcile, draft: RolloutStatus): RolloutStatus {
  const { rollout } = turn;
  const steps = stepsOf(rollout.spec);
  const skips = rollout.status.promoteFull === true || isInRollbackWindow(turn);
  if (skips) turn.pause.clear();
  const index = skips ? steps.length : (rollout.status.currentStepIndex ?? 0);
  const reason = reasonToPromote(turn, index);
  if (reason !== undefined) return promote(turn, draft, reason);
  if (steps.length === 0) return draft;
  if (turn.isAborted)
    return { ...draft, currentStepIndex: draft.stableRS === draft.currentPodHash ? steps.length : 0 };
  const step = steps[index];
  if (step === undefined || !isDone(turn, step)) return { ...draft, currentStepIndex: index };
  const message = `Rollout step ${index + 1}/${steps.length} completed (${stepText(step)})`;
  turn.record('Normal', 'RolloutStepCompleted', message);
  turn.pause.end('CanaryPauseStep');
  const { currentStepAnalysisRunStatus: _over, ...canary } = draft.canary ?? {};
  return { ...draft, canary, currentStepIndex: index + 1 };
}

function reasonToPromote(turn: ArgoReconcile, index: number): string | undefined {
  const { rollout, fresh, stable } = turn;
  if (stable === undefined) return 'Initial deploy';
  if (turn.isAborted || fresh === undefined || availableOf(fresh) !== rollout.spec.replicas) return undefined;
  if (rollout.status.promoteFull === true) return 'Full promotion requested';
  if (isInRollbackWindow(turn)) return 'Rollback within window';
  const count = stepsOf(rollout.spec).length;
  return index >= count ? `Completed all ${count} canary steps` : undefined;
}

function isDone(turn: ArgoReconcile, step: ArgoStep): boolean {
  const { status, spec } = turn.rollout;
  if (spec.paused === true) return false;
  if (step.pause !== undefined) return isPauseOver(turn, step.pause);
  if (step.setWeight !== undefined || step.setCanaryScale !== undefined) return isSized(turn);
  return step.analysis !== undefined && status.canary?.currentStepAnalysisRunStatus?.status === 'Successful';
}

function isPauseOver(
  { rollout, world }: ArgoReconcile,
  { duration }: NonNullable<ArgoStep['pause']>,
): boolean {
  const since = pausedSince(rollout.status, 'CanaryPauseStep');
  // A promotion removes the reason and leaves `controllerPause` set.
  if (since === undefined) return rollout.status.controllerPause === true;
  const seconds = secondsOf(duration);
  return seconds !== undefined && world.now() >= since + seconds * 1000;
}

function pauseAtStep(turn: ArgoReconcile): void {
  const { status, spec } = turn.rollout;
  const step = stepsOf(spec)[status.currentStepIndex ?? 0];
  if (spec.paused === true || status.promoteFull === true || step?.pause === undefined) return;
  if (turn.fresh === undefined || status.stableRS === undefined) return;
  const since = pausedSince(status, 'CanaryPauseStep');
  if (since === undefined) {
    if (status.controllerPause !== true && !turn.isAborted) turn.pause.begin('CanaryPauseStep');
    return;
  }
  const seconds = secondsOf(step.pause.duration);
  if (seconds !== undefined) turn.requeueAfter(since + seconds * 1000 - turn.world.now());
}

function isSized(turn: ArgoReconcile): boolean {
  const { fresh, stable, rollout } = turn;
  if (fresh === undefined || stable === undefined) return false;
  const goal = sizesAtStep(turn);
  const isFresh = fresh.spec.replicas === goal.fresh && availableOf(fresh) === goal.fresh;
  if (!isFresh || rollout.spec.strategy.canary?.trafficRouting !== undefined) return isFresh;
  const isStable = stable.spec.replicas === goal.stable && availableOf(stable) === goal.stable;
  return isStable && turn.others.every((set) => availableOf(set) === 0);
}
