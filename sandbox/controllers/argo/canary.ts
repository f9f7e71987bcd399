import { analyse, summaryOf, verdictOf } from '@/sandbox/controllers/argo/analysis';
import {
  type AnalysisRun,
  type ArgoStatus,
  leewayOf,
  planOf,
  type StepSpec,
  stepsOf,
} from '@/sandbox/controllers/argo/argo-rollout';
import {
  type ArgoReconcile,
  availableOf,
  hashOf,
  pausedSince,
} from '@/sandbox/controllers/argo/argo-reconcile';
import { labelPods, numberFresh, pruneOldest, restartPods } from '@/sandbox/controllers/argo/replica-sets';
import { divide, nextSizes, type Side } from '@/sandbox/controllers/argo/sizes';
import {
  abortFor,
  atTheBeginning,
  beginPause,
  clear,
  draftStatus,
  promote,
  resume,
  saveStatus,
} from '@/sandbox/controllers/argo/status';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { goJson } from '@/sandbox/controllers/revisions/go-json';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';
import { advance, jumpTo } from '@/sandbox/engine/stepped-rollout';

/**
 * Takes a Rollout through the steps of its canary.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/canary.go
 */
export async function rollCanary(reconcile: ArgoReconcile): Promise<void> {
  await numberFresh(reconcile);
  const { currentStepHash } = reconcile.rollout.status;
  const hasNewSteps = currentStepHash !== undefined && currentStepHash !== stepHash(reconcile);
  if (reconcile.hasNewTemplate || hasNewSteps) return saveStatus(reconcile, beginning(reconcile));
  const restartedAt = await restartPods(reconcile);
  await labelPods(reconcile);
  await pruneOldest(reconcile);
  const run = await analyse(reconcile);
  if (!reconcile.isHalted) await resize(reconcile);
  const base = { ...draftStatus(reconcile), restartedAt, currentStepHash: stepHash(reconcile) };
  await saveStatus(reconcile, moved(reconcile, { ...base, canary: summaryOf(run) }, run));
}

function stepHash({ rollout }: ArgoReconcile): string {
  return safeEncode(String(fnv1a(Buffer.from(goJson([...stepsOf(rollout.spec)])))));
}

/** At the first step; at the last one where the return to earlier pods skips the steps. */
function beginning(reconcile: ArgoReconcile): ArgoStatus {
  const draft = atTheBeginning(reconcile, {
    ...draftStatus(reconcile),
    currentStepHash: stepHash(reconcile),
  });
  const { fresh, isInRollbackWindow } = reconcile;
  const steps = stepsOf(reconcile.rollout.spec).length;
  if (fresh === undefined || steps === 0) return draft;
  const isStable = hashOf(fresh) === draft.stableRS;
  const skips = isStable || (isInRollbackWindow && fresh.spec.replicas > 0);
  return skips ? { ...draft, currentStepIndex: steps } : draft;
}

/** The status after this reconcile, at most one step further. */
function moved(reconcile: ArgoReconcile, draft: ArgoStatus, run: AnalysisRun | undefined): ArgoStatus {
  const { rollout, fresh, stable, skipsSteps, manager } = reconcile;
  const { status, spec } = rollout;
  const steps = stepsOf(spec);
  if (stable === undefined) return promote(reconcile, draft, 'Initial deploy');
  if (skipsSteps) draft = { ...clear(draft), currentStepIndex: steps.length };
  if (draft.abort === true)
    return { ...draft, currentStepIndex: draft.stableRS === draft.currentPodHash ? steps.length : 0 };
  const plan = steps.map(planOf);
  const at = jumpTo(plan, draft.currentStepIndex ?? 0);
  const isSized = sidesOf(reconcile).every(
    ({ size, available, goal }) => size === goal && available === goal,
  );
  const pausedAt = pausedSince(status);
  const isResumed = pausedAt === undefined && status.controllerPause === true;
  const analysis = verdictOf(run);
  const now = manager.now();
  const progress = advance(plan, at, { now, pausedAt, isSized, isRouted: true, analysis, isResumed });
  if (progress.kind === 'ends') {
    if (availableOf(fresh) !== spec.replicas) return draft;
    const reason = status.promoteFull === true ? 'Full promotion requested' : 'Completed all canary steps';
    return promote(reconcile, draft, reason);
  }
  if (progress.kind === 'aborts') return abortFor(reconcile, draft, analysisFailure(run));
  if (spec.paused === true) return draft;
  if (progress.kind === 'pauses')
    return beginPause(reconcile, draft, at.stage === 'pause' ? 'CanaryPauseStep' : 'InconclusiveAnalysisRun');
  if (progress.kind === 'waits') {
    if (progress.forMs !== undefined) reconcile.requeueAfter(progress.forMs);
    return draft;
  }
  const done = `Rollout step ${at.step + 1}/${steps.length} completed (${stepText(steps[at.step])})`;
  reconcile.record('RolloutStepCompleted', done);
  return resume({ ...draft, canary: {}, currentStepIndex: progress.to.step });
}

function analysisFailure(run: AnalysisRun | undefined): string {
  return `Step-based analysis phase error/failed: ${run?.status.message ?? ''}`;
}

/** The name of a step in events. */
function stepText({ setWeight, pause }: StepSpec = {}): string {
  if (setWeight !== undefined) return `setWeight: ${setWeight}`;
  if (pause === undefined) return 'analysis';
  return pause.duration === undefined ? 'pause' : `pause: ${pause.duration}`;
}

async function resize(reconcile: ArgoReconcile): Promise<void> {
  const { replicas } = reconcile.rollout.spec;
  const { surge, unavailable } = leewayOf(reconcile.rollout.spec);
  const sides = sidesOf(reconcile);
  const sizes = nextSizes(sides, replicas + surge, replicas - unavailable);
  for (const [index, { set }] of sides.entries())
    await reconcile.scale(set, sizes[index] ?? set.spec.replicas);
}

/** Every ReplicaSet with the number of pods that the current step leads to. */
function sidesOf(reconcile: ArgoReconcile): (Side & { set: ReplicaSet })[] {
  const { fresh, stable, others, rollout } = reconcile;
  const { replicas } = rollout.spec;
  const hasBoth = stable !== undefined && stable !== fresh;
  const goal = divide(replicas, hasBoth ? weightOf(reconcile) : 100, leewayOf(rollout.spec).surge);
  const sideOf = (set: ReplicaSet | undefined, size: number) =>
    set === undefined ? [] : [{ set, size: set.spec.replicas, available: availableOf(set), goal: size }];
  return [
    ...others.flatMap((set) => sideOf(set, 0)),
    ...(hasBoth ? sideOf(stable, goal.stable) : []),
    ...sideOf(fresh, goal.fresh),
  ];
}

/** Percent of the pods that are to be new at the current step. */
function weightOf({ rollout }: ArgoReconcile): number {
  const { abort, promoteFull, currentStepIndex = 0 } = rollout.status;
  if (abort === true) return 0;
  const steps = stepsOf(rollout.spec);
  if (promoteFull === true || currentStepIndex >= steps.length) return 100;
  return (
    steps.slice(0, currentStepIndex + 1).findLast(({ setWeight }) => setWeight !== undefined)?.setWeight ?? 0
  );
}
