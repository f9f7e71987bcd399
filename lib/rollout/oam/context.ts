import { batchesOf, type Extent, goalsOf } from '@/lib/oam/batches';
import type { Batch } from '@/lib/oam/plan';
import { type BatchState, batchStates, type RollingState } from '@/lib/oam/states';
import { isActive } from '@/lib/history/assemble';
import type { Revision } from '@/lib/history/revision';
import type { OamRollout } from '@/lib/rollout/oam/parse';
import { type BaseContext, readBase, type RolloutInput } from '@/lib/rollout/system';
import type { RolloutFacts, ComponentFacts } from '@/lib/rollout/rollout-facts';
import type { PodSummary } from '@/lib/history/pod';

/**
 * The state of a Rollout. `new`: no controller has started it. `modified`: another target or size is desired,
 * and no controller has processed that. `unknown`: a state that no version has.
 */
export type OamStage = RollingState | 'new' | 'modified' | 'unknown';

export interface OamContext extends Omit<BaseContext<OamRollout>, 'facts'> {
  stage: OamStage;
  /** Of the current batch; null outside of the batches, and for a state that no version has. */
  batch: BatchState | null;
  /** Null while the number of pods is not known. */
  extent: Extent | null;
  batches: readonly Batch[];
  /** Pods of the target after each batch; null where not known. */
  goals: readonly (number | null)[];
  /** Counts from 1; 0 while none has begun. */
  index: number;
  total: number;
  target: RolloutFacts | null;
  /** Existing ones, in the order in which they are drained. */
  sources: readonly RolloutFacts[];
  /** Others that this Rollout has moved and that still exist. */
  former: readonly RolloutFacts[];
  component: ComponentFacts | null;
  /** The revision of the target, for one in place and for a separate one. */
  updated: Revision | null;
  /** Of a workload in place: the revision of its other pods. */
  stable: Revision | null;
  /** Active, of the target revision. */
  pods: readonly PodSummary[];
}

export function readOamContext(input: RolloutInput<OamRollout>): OamContext {
  const { object: rollout, others = [], component = null } = input;
  const { facts: target, ...base } = readBase(input, rollout.plan.isPaused);
  const named = (names: readonly string[]) =>
    names.flatMap((name) => others.find((other) => other.workload.name === name) ?? []);
  const sources = named(rollout.sources);
  const stage = stageOf(rollout);
  const extent = extentOf(rollout, target, sources);
  const batches = extent === null ? rollout.plan.batches : batchesOf(rollout.plan, extent);
  const updated = target?.history.target ?? null;
  return {
    ...base,
    isDeleted: stage === 'RolloutDeletingState',
    stage,
    batch:
      stage === 'rollingInBatches' ? (batchStates.find((state) => state === rollout.batch) ?? null) : null,
    extent,
    batches,
    goals: extent === null ? batches.map(() => null) : plannedPods(goalsOf(batches, extent), rollout, extent),
    index: indexOf(rollout, stage, batches.length),
    total: batches.length,
    target,
    sources,
    former: named(rollout.former),
    component,
    updated,
    stable: rollout.isInPlace ? stableIn(target) : null,
    pods: podsOfTarget(rollout, target),
  };
}

/** Whether the batches continue, no matter who has to act next. */
export function isRolling({ stage }: Pick<OamContext, 'stage'>): boolean {
  return stage === 'rollingInBatches';
}

/** Whether the current batch is done, and the next one has not been approved. */
export function isWaiting({ batch, rollout, index, batches }: OamContext): boolean {
  return batch === 'batchReady' && index < batches.length && !isApproved(rollout, index);
}

/** Whether the batch after this many is allowed to run. */
export function isApproved({ plan }: OamRollout, batchesDone: number): boolean {
  return plan.partition === undefined || plan.partition >= batchesDone;
}

/** Pods that the target had before remain. */
function plannedPods(goals: readonly number[], { status: { run } }: OamRollout, { mode }: Extent): number[] {
  const starting = mode === 'rolling' ? (run?.startingReplicas ?? 0) : 0;
  return goals.map((goal) => Math.max(goal, starting));
}

/** Pods of the target before the first batch. */
export function startingPods({ extent, rollout }: Pick<OamContext, 'extent' | 'rollout'>): number {
  if (extent?.mode === 'scaling') return extent.base;
  return rollout.status.run?.startingReplicas ?? 0;
}

function stageOf(rollout: OamRollout): OamStage {
  const { status, rolling, deletedAt } = rollout;
  if (deletedAt !== null) return 'RolloutDeletingState';
  if (rolling === '') return 'new';
  const state = status.position?.rolling;
  if (state === undefined) return 'unknown';
  return isModified(rollout, state) ? 'modified' : state;
}

/**
 * Whether the spec differs from what the status is about.
 * https://github.com/kubevela/kubevela/blob/v1.8.2/pkg/controller/standard.oam.dev/v1alpha1/rollout/handler.go
 * (isRolloutModified)
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

/** The controller's own values where it reports them, else those that it would use. */
function extentOf(
  { status, plan, isInPlace, naming }: OamRollout,
  target: RolloutFacts | null,
  sources: readonly RolloutFacts[],
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
  // Without a source, or with itself as the source, a target only scales.
  const isScaling =
    naming === 'componentRevision' &&
    lastTarget !== undefined &&
    (lastSource === undefined || lastSource === lastTarget);
  if (isScaling && rolloutOriginalSize >= 0)
    return { mode: 'scaling', base: rolloutOriginalSize, target: size };
  return { mode: 'rolling', base: 0, target: size };
}

function indexOf({ status }: OamRollout, stage: OamStage, total: number): number {
  switch (stage) {
    case 'rolloutSucceed':
    case 'finalising':
      return total;
    case 'rollingInBatches':
    case 'rolloutFailing':
    case 'rolloutFailed':
      return batchAt(status, total);
    case 'RolloutDeletingState':
      // Before the sizes are known no batch has started.
      return status.rolloutTargetSize < 0 ? 0 : batchAt(status, total);
    default:
      return 0;
  }
}

function batchAt({ currentBatch }: OamRollout['status'], total: number): number {
  return Math.min(Math.max(0, Math.trunc(currentBatch)) + 1, total);
}

function stableIn(target: RolloutFacts | null): Revision | null {
  const { revisions = [], target: updated = null } = target?.history ?? {};
  const current = revisions.find((revision) => revision.current);
  if (current !== undefined && current.id !== updated?.id) return current;
  return revisions.find((revision) => revision.id !== updated?.id && revision.serving) ?? null;
}

function podsOfTarget({ isInPlace }: OamRollout, target: RolloutFacts | null): PodSummary[] {
  if (target === null) return [];
  const { history, pods } = target;
  return pods.filter(
    (pod) =>
      isActive(pod) &&
      (!isInPlace ||
        (history.target !== null && history.revisionOfPod.get(pod.uid)?.id === history.target.id)),
  );
}
