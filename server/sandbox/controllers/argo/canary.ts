import {
  type RolloutStatus,
  secondsOf,
  type Step,
  stepsOf,
  stepText,
} from '@/server/sandbox/controllers/argo/argo-rollout';
import { analyse } from '@/server/sandbox/controllers/argo/analysis';
import { markPods } from '@/server/sandbox/controllers/argo/ephemeral-metadata';
import { pausedSince } from '@/server/sandbox/controllers/argo/pause';
import {
  availableOf,
  forgetOldest,
  isInRollbackWindow,
  liftDeadlines,
  numberFresh,
} from '@/server/sandbox/controllers/argo/replica-sets';
import { resizeCanary, sizesAtStep } from '@/server/sandbox/controllers/argo/canary-sizes';
import { restartPods } from '@/server/sandbox/controllers/argo/restart';
import { aimCanaryServices } from '@/server/sandbox/controllers/argo/services';
import {
  atTheBeginning,
  baseStatus,
  hasNewTemplate,
  promote,
  saveStatus,
} from '@/server/sandbox/controllers/argo/status';
import { weightsOf } from '@/server/sandbox/controllers/argo/weights';
import { hashOf, type Turn } from '@/server/sandbox/controllers/argo/turn';
import { fnv1a, safeEncode } from '@/server/sandbox/controllers/revisions/hash';
import { goJson } from '@/server/sandbox/controllers/revisions/go-json';

/**
 * Takes a Rollout through the steps of its canary.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/canary.go
 */
export async function rollCanary(turn: Turn): Promise<void> {
  await numberFresh(turn);
  if (hasNewTemplate(turn) || hasNewSteps(turn)) return saveStatus(turn, beginning(turn));
  await restartPods(turn);
  await markPods(turn);
  await forgetOldest(turn);
  await aimCanaryServices(turn);
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

function hasNewSteps(turn: Turn): boolean {
  const { currentStepHash } = turn.rollout.status;
  return currentStepHash !== undefined && currentStepHash !== stepHash(turn);
}

function stepHash({ rollout }: Turn): string {
  return safeEncode(String(fnv1a(Buffer.from(goJson([...stepsOf(rollout.spec)])))));
}

/** At the first step; at the last one where the return to earlier pods needs none. */
function beginning(turn: Turn): RolloutStatus {
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

/** The step after this look. */
function moved(turn: Turn, draft: RolloutStatus): RolloutStatus {
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

function reasonToPromote(turn: Turn, index: number): string | undefined {
  const { rollout, fresh, stable } = turn;
  if (stable === undefined) return 'Initial deploy';
  if (turn.isAborted || fresh === undefined || availableOf(fresh) !== rollout.spec.replicas) return undefined;
  if (rollout.status.promoteFull === true) return 'Full promotion requested';
  if (isInRollbackWindow(turn)) return 'Rollback within window';
  const count = stepsOf(rollout.spec).length;
  return index >= count ? `Completed all ${count} canary steps` : undefined;
}

function isDone(turn: Turn, step: Step): boolean {
  const { status, spec } = turn.rollout;
  if (spec.paused === true) return false;
  if (step.pause !== undefined) return isPauseOver(turn, step.pause);
  if (step.setWeight !== undefined || step.setCanaryScale !== undefined) return isSized(turn);
  return step.analysis !== undefined && status.canary?.currentStepAnalysisRunStatus?.status === 'Successful';
}

function isPauseOver({ rollout, world }: Turn, { duration }: NonNullable<Step['pause']>): boolean {
  const since = pausedSince(rollout.status, 'CanaryPauseStep');
  // Whoever promotes takes the reason away and leaves that the controller paused.
  if (since === undefined) return rollout.status.controllerPause === true;
  const seconds = secondsOf(duration);
  return seconds !== undefined && world.now() >= since + seconds * 1000;
}

function pauseAtStep(turn: Turn): void {
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
  if (seconds !== undefined) turn.again(since + seconds * 1000 - turn.world.now());
}

function isSized(turn: Turn): boolean {
  const { fresh, stable, rollout } = turn;
  if (fresh === undefined || stable === undefined) return false;
  const goal = sizesAtStep(turn);
  const isFresh = fresh.spec.replicas === goal.fresh && availableOf(fresh) === goal.fresh;
  if (!isFresh || rollout.spec.strategy.canary?.trafficRouting !== undefined) return isFresh;
  const isStable = stable.spec.replicas === goal.stable && availableOf(stable) === goal.stable;
  return isStable && turn.others.every((set) => availableOf(set) === 0);
}
