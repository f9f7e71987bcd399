import {
  type ArgoStatus,
  secondsOf,
  type StepSpec,
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
import { resizeCanary, sizesAtStep, weightAtStep } from '@/sandbox/controllers/argo/canary-sizes';
import { restartPods } from '@/sandbox/controllers/argo/restart';
import { pointCanaryServices } from '@/sandbox/controllers/argo/services';
import {
  atTheBeginning,
  baseStatus,
  hasNewTemplate,
  promote,
  saveStatus,
} from '@/sandbox/controllers/argo/status';
import { hashOf, type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';
import { goJson } from '@/sandbox/controllers/revisions/go-json';

/**
 * Takes a Rollout through the steps of its canary.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/canary.go
 */
export async function rollCanary(reconcile: ArgoReconcile): Promise<void> {
  await numberFresh(reconcile);
  if (hasNewTemplate(reconcile) || hasNewSteps(reconcile)) return saveStatus(reconcile, beginning(reconcile));
  await restartPods(reconcile);
  await labelPods(reconcile);
  await pruneOldest(reconcile);
  await pointCanaryServices(reconcile);
  const analysis = await analyse(reconcile);
  if (!reconcile.pause.hasBegun) {
    await liftDeadlines(reconcile, false);
    if (reconcile.isHalted || !(await resizeCanary(reconcile))) pauseAtStep(reconcile);
  }
  const weights = weightsOf(reconcile);
  const canary = { ...(weights && { weights }), ...(analysis && { currentStepAnalysisRunStatus: analysis }) };
  const draft = { ...baseStatus(reconcile), canary, currentStepHash: stepHash(reconcile) };
  await saveStatus(reconcile, moved(reconcile, draft));
}

function hasNewSteps(reconcile: ArgoReconcile): boolean {
  const { currentStepHash } = reconcile.rollout.status;
  return currentStepHash !== undefined && currentStepHash !== stepHash(reconcile);
}

function stepHash({ rollout }: ArgoReconcile): string {
  return safeEncode(String(fnv1a(Buffer.from(goJson([...stepsOf(rollout.spec)])))));
}

/** At the first step; at the last one where the return to earlier pods skips the steps. */
function beginning(reconcile: ArgoReconcile): ArgoStatus {
  const draft = atTheBeginning(reconcile, { ...baseStatus(reconcile), currentStepHash: stepHash(reconcile) });
  const count = stepsOf(reconcile.rollout.spec).length;
  const { fresh } = reconcile;
  if (fresh === undefined || count === 0) return draft;
  const isStable = hashOf(fresh) === draft.stableRS;
  const isActive = fresh.spec.replicas > 0 && isInRollbackWindow(reconcile);
  if (!isStable && !isActive) return draft;
  const what = isStable ? 'stable ReplicaSets' : 'active ReplicaSets within RollbackWindow';
  reconcile.record('Normal', 'SkipSteps', `Rollback to ${what}`);
  return { ...draft, currentStepIndex: count };
}

/** The step after this reconcile. */
function moved(reconcile: ArgoReconcile, draft: ArgoStatus): ArgoStatus {
  const { rollout } = reconcile;
  const steps = stepsOf(rollout.spec);
  const skips = rollout.status.promoteFull === true || isInRollbackWindow(reconcile);
  if (skips) reconcile.pause.clear();
  const index = skips ? steps.length : (rollout.status.currentStepIndex ?? 0);
  const reason = reasonToPromote(reconcile, index);
  if (reason !== undefined) return promote(reconcile, draft, reason);
  if (steps.length === 0) return draft;
  if (reconcile.isAborted)
    return { ...draft, currentStepIndex: draft.stableRS === draft.currentPodHash ? steps.length : 0 };
  const step = steps[index];
  if (step === undefined || !isDone(reconcile, step)) return { ...draft, currentStepIndex: index };
  const message = `Rollout step ${index + 1}/${steps.length} completed (${stepText(step)})`;
  reconcile.record('Normal', 'RolloutStepCompleted', message);
  reconcile.pause.end('CanaryPauseStep');
  const { currentStepAnalysisRunStatus: _over, ...canary } = draft.canary ?? {};
  return { ...draft, canary, currentStepIndex: index + 1 };
}

function reasonToPromote(reconcile: ArgoReconcile, index: number): string | undefined {
  const { rollout, fresh, stable } = reconcile;
  if (stable === undefined) return 'Initial deploy';
  if (reconcile.isAborted || fresh === undefined || availableOf(fresh) !== rollout.spec.replicas)
    return undefined;
  if (rollout.status.promoteFull === true) return 'Full promotion requested';
  if (isInRollbackWindow(reconcile)) return 'Rollback within window';
  const count = stepsOf(rollout.spec).length;
  return index >= count ? `Completed all ${count} canary steps` : undefined;
}

function isDone(reconcile: ArgoReconcile, step: StepSpec): boolean {
  const { status, spec } = reconcile.rollout;
  if (spec.paused === true) return false;
  if (step.pause !== undefined) return isPauseOver(reconcile, step.pause);
  if (step.setWeight !== undefined || step.setCanaryScale !== undefined) return isSized(reconcile);
  return step.analysis !== undefined && status.canary?.currentStepAnalysisRunStatus?.status === 'Successful';
}

function isPauseOver(
  { rollout, manager }: ArgoReconcile,
  { duration }: NonNullable<StepSpec['pause']>,
): boolean {
  const since = pausedSince(rollout.status, 'CanaryPauseStep');
  // A promotion removes the reason and leaves `controllerPause` set.
  if (since === undefined) return rollout.status.controllerPause === true;
  const seconds = secondsOf(duration);
  return seconds !== undefined && manager.now() >= since + seconds * 1000;
}

function pauseAtStep(reconcile: ArgoReconcile): void {
  const { status, spec } = reconcile.rollout;
  const step = stepsOf(spec)[status.currentStepIndex ?? 0];
  if (spec.paused === true || status.promoteFull === true || step?.pause === undefined) return;
  if (reconcile.fresh === undefined || status.stableRS === undefined) return;
  const since = pausedSince(status, 'CanaryPauseStep');
  if (since === undefined) {
    if (status.controllerPause !== true && !reconcile.isAborted) reconcile.pause.begin('CanaryPauseStep');
    return;
  }
  const seconds = secondsOf(step.pause.duration);
  if (seconds !== undefined) reconcile.requeueAfter(since + seconds * 1000 - reconcile.manager.now());
}

function isSized(reconcile: ArgoReconcile): boolean {
  const { fresh, stable, rollout } = reconcile;
  if (fresh === undefined || stable === undefined) return false;
  const goal = sizesAtStep(reconcile);
  const isFresh = fresh.spec.replicas === goal.fresh && availableOf(fresh) === goal.fresh;
  if (!isFresh || rollout.spec.strategy.canary?.trafficRouting !== undefined) return isFresh;
  const isStable = stable.spec.replicas === goal.stable && availableOf(stable) === goal.stable;
  return isStable && reconcile.others.every((set) => availableOf(set) === 0);
}

type Weights = NonNullable<NonNullable<ArgoStatus['canary']>['weights']>;

/**
 * The split of requests with traffic routing; undefined without it. The routing objects are not written: only
 * the status shows the split.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/trafficrouting.go
 */
function weightsOf({ rollout, fresh, stable, hash }: ArgoReconcile): Weights | undefined {
  const { canary } = rollout.spec.strategy;
  if (canary?.trafficRouting === undefined || stable === undefined) return undefined;
  const { status } = rollout;
  const isPromoted = hashOf(stable) === hash;
  const before = status.canary?.weights?.canary.weight ?? 0;
  const wanted = isPromoted ? 0 : weightAtStep(rollout);
  // The weight increases only when all the pods for it are available.
  const isReady = fresh !== undefined && availableOf(fresh) > 0 && availableOf(fresh) === fresh.spec.replicas;
  const weight = wanted > before && !isReady ? before : wanted;
  return {
    canary: {
      weight,
      podTemplateHash: hash,
      ...(canary.canaryService && { serviceName: canary.canaryService }),
    },
    stable: {
      weight: 100 - weight,
      podTemplateHash: hashOf(stable),
      ...(canary.stableService && { serviceName: canary.stableService }),
    },
  };
}
