import { analyse, summaryOf, verdictOf } from '@/sandbox/controllers/argo/analysis';
import { type ArgoReconcile, availableOf } from '@/sandbox/controllers/argo/argo-reconcile';
import {
  type AnalysisRun,
  type ArgoStatus,
  leewayOf,
  planOf,
  type StepSpec,
  stepsOf,
} from '@/sandbox/controllers/argo/argo-rollout';
import { labelPods, numberFresh, pruneOldest, restartPods } from '@/sandbox/controllers/argo/replica-sets';
import {
  abortFor,
  atTheBeginning,
  clear,
  draftStatus,
  promote,
  resume,
  saveStatus,
  waiting,
} from '@/sandbox/controllers/argo/status';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import type { ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { advance, jumpTo } from '@/sandbox/engine/stepped-rollout';

/**
 * Takes a Rollout through the steps of its canary.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/canary.go
 */
export async function rollCanary(reconcile: ArgoReconcile): Promise<void> {
  await numberFresh(reconcile);
  if (reconcile.hasNewTemplate)
    return saveStatus(reconcile, atTheBeginning(reconcile, draftStatus(reconcile)));
  const restartedAt = await restartPods(reconcile);
  await labelPods(reconcile);
  await pruneOldest(reconcile);
  const run = await analyse(reconcile);
  if (!reconcile.isHalted) await resize(reconcile);
  const draft = { ...draftStatus(reconcile), restartedAt, canary: summaryOf(run) };
  await saveStatus(reconcile, moved(reconcile, draft, run));
}

/** The status after this reconcile, at most one step further. */
function moved(reconcile: ArgoReconcile, draft: ArgoStatus, run: AnalysisRun | undefined): ArgoStatus {
  const { fresh, stable, skipsSteps } = reconcile;
  const { spec } = reconcile.rollout;
  const steps = stepsOf(spec);
  if (stable === undefined) return promote(reconcile, draft, 'Initial deploy');
  if (skipsSteps) draft = { ...clear(draft), currentStepIndex: steps.length };
  if (draft.abort === true) return { ...draft, currentStepIndex: 0 };
  const plan = steps.map(planOf);
  const at = jumpTo(plan, draft.currentStepIndex ?? 0);
  const isSized = sidesOf(reconcile).every(
    ({ size, available, goal }) => size === goal && available === goal,
  );
  const progress = advance(plan, at, reconcile.see(isSized, verdictOf(run)));
  if (progress.kind === 'ends')
    return availableOf(fresh) === spec.replicas
      ? promote(reconcile, draft, 'Completed all canary steps')
      : draft;
  if (progress.kind === 'aborts') {
    const cause = `Step-based analysis phase error/failed: ${run?.status.message ?? ''}`;
    return abortFor(reconcile, draft, cause);
  }
  if (spec.paused === true) return draft;
  if (progress.kind !== 'moves')
    return waiting(
      reconcile,
      draft,
      progress,
      run === undefined ? 'CanaryPauseStep' : 'InconclusiveAnalysisRun',
    );
  const done = `Rollout step ${at.step + 1}/${steps.length} completed (${stepText(steps[at.step])})`;
  reconcile.record('RolloutStepCompleted', done);
  return resume({ ...draft, canary: {}, currentStepIndex: progress.to.step });
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

/** A ReplicaSet in numbers of pods. */
interface Side {
  /** Desired now. */
  readonly size: number;
  readonly available: number;
  /** Desired at the end of the step. */
  readonly goal: number;
}

function sidesOf(reconcile: ArgoReconcile): (Side & { set: ReplicaSet })[] {
  const { fresh, stable, others, rollout } = reconcile;
  const { replicas } = rollout.spec;
  const hasBoth = stable !== undefined && stable !== fresh;
  const goal = divide(replicas, hasBoth ? weightOf(reconcile) : 100, leewayOf(rollout.spec).surge);
  const goals: [ReplicaSet | undefined, number][] = others.map((set) => [set, 0]);
  if (hasBoth) goals.push([stable, goal.stable]);
  goals.push([fresh, goal.fresh]);
  return goals.flatMap(([set, size]) =>
    set === undefined ? [] : [{ set, size: set.spec.replicas, available: availableOf(set), goal: size }],
  );
}

/** Percent of the pods that are to be new at the current step. */
function weightOf({ rollout }: ArgoReconcile): number {
  const { abort, promoteFull, currentStepIndex = 0 } = rollout.status;
  const steps = stepsOf(rollout.spec);
  if (abort === true) return 0;
  if (promoteFull === true || currentStepIndex >= steps.length) return 100;
  const weights = steps.slice(0, currentStepIndex + 1).flatMap(({ setWeight = [] }) => setWeight);
  return weights.at(-1) ?? 0;
}

/**
 * How a step divides the pods: as close to the weight as whole pods allow, with one pod more where that is
 * allowed and closer. Neither side gets zero unless the weight is 0 or 100.
 * https://argo-rollouts.readthedocs.io/en/stable/features/canary/#mimicking-rolling-update
 */
export function divide(replicas: number, weight: number, surge: number): { fresh: number; stable: number } {
  const isMixed = weight > 0 && weight < 100;
  const totals = surge > 0 && isMixed ? [replicas, replicas + 1] : [replicas];
  const choices = totals.flatMap((total) =>
    [Math.ceil, Math.floor].map((round) => ({ fresh: round((total * weight) / 100), total })),
  );
  const allowed = choices.filter(({ fresh, total }) => !isMixed || (fresh > 0 && fresh < total));
  const distance = ({ fresh, total }: { fresh: number; total: number }) =>
    Math.abs(weight - (fresh * 100) / total);
  const [best = { fresh: Math.ceil((replicas * weight) / 100), total: replicas }] =
    replicas === 0 ? [] : allowed.toSorted((a, b) => distance(a) - distance(b));
  return { fresh: best.fresh, stable: best.total - best.fresh };
}

/**
 * The next sizes on the way to the goals: up as long as there are no more than `most` pods, and down as long
 * as `least` stay available; pods that are not available are deleted in any case.
 */
export function nextSizes(sides: readonly Side[], most: number, least: number): number[] {
  const serving = ({ size, available }: Side) => Math.min(size, available);
  let room = most - sumOf(sides, ({ size }) => size);
  let spare = sumOf(sides, serving) - least;
  return sides.map((side) => {
    const { size, goal } = side;
    if (size < goal) {
      const added = Math.min(goal - size, Math.max(0, room));
      room -= added;
      return size + added;
    }
    const broken = size - serving(side);
    const taken = Math.min(size - goal, broken + Math.max(0, spare));
    spare -= Math.max(0, taken - broken);
    return size - taken;
  });
}
