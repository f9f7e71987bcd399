import { batchesOf, type Extent, goalsOf } from '@/lib/oam/batches';
import { type Batch } from '@/lib/oam/plan';
import { type BatchState, batchStates, type RollingState } from '@/lib/oam/states';
import { isActive } from '@/lib/history/assemble';
import { type Revision } from '@/lib/history/revision';
import { type OamRollout } from '@/lib/rollout/oam/parse';
import { type ComponentFacts, type RolloutInput, type WorkloadFacts } from '@/lib/rollout/system';
import { type PodSummary } from '@/lib/workloads/pod';

/**
 * Where a Rollout stands. `new`: nobody has begun with it. `modified`: another target or size is asked for, and nobody has
 * taken that up. `unknown`: in a state that no version has.
 */
export type Stage = RollingState | 'new' | 'modified' | 'unknown';

export interface Situation {
  rollout: OamRollout;
  stage: Stage;
  /** Of the batch under way; null outside of the batches, and where it is none that any version has. */
  batch: BatchState | null;
  /** Null while the number of pods is not known. */
  extent: Extent | null;
  batches: readonly Batch[];
  /** Pods of the target after each batch; null where not known. */
  goals: readonly (number | null)[];
  /** Counts from 1; 0 while none has begun. */
  index: number;
  target: WorkloadFacts | null;
  /** Those that are there, in the order in which they are drained. */
  sources: readonly WorkloadFacts[];
  /** Others that this Rollout has had to do with, and that are still there. */
  former: readonly WorkloadFacts[];
  component: ComponentFacts | null;
  /** What the target runs, of one in place and of one by itself. */
  updated: Revision | null;
  /** Of a workload in place: what its other pods run. */
  stable: Revision | null;
  /** Active, of the target revision. */
  pods: readonly PodSummary[];
  nowMs: number;
}

export function situationOf({
  object: rollout,
  workload,
  others = [],
  component,
  now,
}: RolloutInput<OamRollout>): Situation {
  const target = workload.state === 'found' ? workload.facts : null;
  const named = (names: readonly string[]) =>
    names.flatMap((name) => others.find((other) => other.workload.name === name) ?? []);
  const sources = named(rollout.sources);
  const stage = stageOf(rollout);
  const extent = extentOf(rollout, target, sources);
  const batches = extent === null ? rollout.plan.batches : batchesOf(rollout.plan, extent);
  const updated = target?.history.target ?? null;
  return {
    rollout,
    stage,
    batch:
      stage === 'rollingInBatches' ? (batchStates.find((state) => state === rollout.batch) ?? null) : null,
    extent,
    batches,
    goals: extent === null ? batches.map(() => null) : plannedPods(goalsOf(batches, extent), rollout, extent),
    index: indexOf(rollout, stage, batches.length),
    target,
    sources,
    former: named(rollout.former),
    component: component ?? null,
    updated,
    stable: rollout.isInPlace ? stableIn(target) : null,
    pods: podsOfTarget(rollout, target),
    nowMs: Date.parse(now),
  };
}

/** Whether the batches go on, whoever has to act next. */
export function isRolling({ stage }: Pick<Situation, 'stage'>): boolean {
  return stage === 'rollingInBatches';
}

/** What is before the batches. */
export function isPreparing({ stage }: Pick<Situation, 'stage'>): boolean {
  return stage === 'locatingTargetApp' || stage === 'verifyingSpec' || stage === 'initializing';
}

/** Whether the batch at hand is done, and the next one has not been approved. */
export function isWaiting({ batch, rollout, index, batches }: Situation): boolean {
  return batch === 'batchReady' && index < batches.length && !isApproved(rollout, index);
}

/** Whether the batch after this many may run. */
export function isApproved({ plan }: OamRollout, batchesDone: number): boolean {
  return plan.partition === undefined || plan.partition >= batchesDone;
}

/** What the target had before stays. */
function plannedPods(goals: readonly number[], { status: { run } }: OamRollout, { mode }: Extent): number[] {
  const starting = mode === 'rolling' ? (run?.startingReplicas ?? 0) : 0;
  return goals.map((goal) => Math.max(goal, starting));
}

/** Pods of the target before the first batch. */
export function startingPods({ extent, rollout }: Pick<Situation, 'extent' | 'rollout'>): number {
  if (extent?.mode === 'scaling') return extent.base;
  return rollout.status.run?.startingReplicas ?? 0;
}

function stageOf(rollout: OamRollout): Stage {
  const { status, rolling, deletedAt } = rollout;
  if (deletedAt !== null) return 'RolloutDeletingState';
  if (rolling === '') return 'new';
  const state = status.position?.rolling;
  if (state === undefined) return 'unknown';
  return isModified(rollout, state) ? 'modified' : state;
}

/**
 * Whether the spec asks for something else than what the status is about.
 * https://github.com/kubevela/kubevela/blob/v1.8.2/pkg/controller/standard.oam.dev/v1alpha1/rollout/handler.go (isRolloutModified)
 */
function isModified({ target, plan, status }: OamRollout, state: RollingState): boolean {
  if (state === 'RolloutDeletingState' || state === 'rolloutAbandoning') return false;
  const { lastTarget, rolloutTargetSize } = status;
  const isElsewhere = lastTarget !== undefined && target !== null && lastTarget !== target;
  return (
    isElsewhere ||
    (plan.targetSize !== undefined && rolloutTargetSize !== -1 && plan.targetSize !== rolloutTargetSize)
  );
}

/** What the controller goes by where it says so, else what it would. */
function extentOf(
  { status, plan, isInPlace, naming }: OamRollout,
  target: WorkloadFacts | null,
  sources: readonly WorkloadFacts[],
): Extent | null {
  const { run, rolloutTargetSize, rolloutOriginalSize, lastSource, lastTarget } = status;
  const desired = sources.reduce(
    (sum, source) => sum + source.desired,
    isInPlace ? (target?.desired ?? 0) : 0,
  );
  const known = rolloutTargetSize >= 0 ? rolloutTargetSize : plan.targetSize;
  const size = known ?? (rolloutOriginalSize >= 0 ? rolloutOriginalSize : desired > 0 ? desired : undefined);
  if (size === undefined) return null;
  if (run !== undefined) return { mode: run.mode, base: run.base, target: size };
  // Without a source, or with itself as the source, a target only becomes larger or smaller.
  const isAlone =
    naming === 'componentRevision' &&
    lastTarget !== undefined &&
    (lastSource === undefined || lastSource === lastTarget);
  if (isAlone && rolloutOriginalSize >= 0)
    return { mode: 'scaling', base: rolloutOriginalSize, target: size };
  return { mode: 'rolling', base: 0, target: size };
}

function indexOf({ status }: OamRollout, stage: Stage, total: number): number {
  switch (stage) {
    case 'rolloutSucceed':
    case 'finalising':
      return total;
    case 'rollingInBatches':
    case 'rolloutFailing':
    case 'rolloutFailed':
      return batchAt(status, total);
    case 'RolloutDeletingState':
      // Before the sizes are known no batch has begun.
      return status.rolloutTargetSize < 0 ? 0 : batchAt(status, total);
    default:
      return 0;
  }
}

function batchAt({ currentBatch }: OamRollout['status'], total: number): number {
  return Math.min(Math.max(0, Math.trunc(currentBatch)) + 1, total);
}

function stableIn(target: WorkloadFacts | null): Revision | null {
  const { revisions = [], target: updated = null } = target?.history ?? {};
  const current = revisions.find((revision) => revision.current);
  if (current !== undefined && current.id !== updated?.id) return current;
  return revisions.find((revision) => revision.id !== updated?.id && revision.serving) ?? null;
}

function podsOfTarget({ isInPlace }: OamRollout, target: WorkloadFacts | null): PodSummary[] {
  if (target === null) return [];
  const { history, pods } = target;
  return pods.filter(
    (pod) =>
      isActive(pod) &&
      (!isInPlace ||
        (history.target !== null && history.revisionOfPod.get(pod.uid)?.id === history.target.id)),
  );
}
