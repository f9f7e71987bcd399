import type { Extent } from '@/lib/oam/batches';
import type { Batch } from '@/lib/oam/plan';
import type { OriginalWorkload, ControlledRollout, RolloutRun, SourceSize } from '@/lib/oam/rollout';
import {
  changeWorkload,
  type RolledWorkload,
  type DesiredWorkload,
  type WorkloadWrite,
} from '@/lib/oam/rolled-workload';
import type { JsonObject } from '@/lib/kube/json';

/** An attempt with its workloads in their current state. */
export interface RolloutAttempt {
  readonly rollout: ControlledRollout;
  readonly run: RolloutRun;
  /** `{name}/{uid}` of the Rollout. */
  readonly claim: string;
  readonly target: RolledWorkload;
  /** Existing ones, in the order in which they are drained. */
  readonly sources: readonly RolledWorkload[];
  readonly extent: Extent;
  readonly batches: readonly Batch[];
  /** Pods after each batch. */
  readonly goals: readonly number[];
  readonly origin: readonly OriginalWorkload[];
  /** Pod template of a ControllerRevision, of which a CloneSet retains those that it may return to. */
  readonly revisionTemplate: (name: string) => JsonObject | undefined;
}

/**
 * The next part of a step: what to write, and what is waited for when there is nothing to write and it is not
 * done.
 */
export interface StepResult {
  readonly writes: readonly WorkloadWrite[];
  readonly isDone: boolean;
  /** What was requested, or is waited for. */
  readonly message: string;
}

/** How the pods of a kind are moved. Every answer depends on the current state alone. */
export interface BatchStrategy {
  readonly claim: (attempt: RolloutAttempt) => readonly WorkloadWrite[];
  /** Requests everything of a batch up to so many pods of the target. */
  readonly roll: (attempt: RolloutAttempt, batch: number, goal: number) => StepResult;
  /** Waits for the pods of a batch. */
  readonly check: (attempt: RolloutAttempt, batch: number) => StepResult;
  /** Pods that the target has ready. */
  readonly ready: (attempt: RolloutAttempt) => number;
  /** Pods of the target after a batch. */
  readonly planned: (attempt: RolloutAttempt, batch: number) => number;
  /** Reverts the incomplete requests of a batch, before another target is pursued. */
  readonly settle: (attempt: RolloutAttempt) => StepResult;
  readonly release: (attempt: RolloutAttempt, isSuccess: boolean) => readonly WorkloadWrite[];
}

export function requested(writes: readonly WorkloadWrite[], message: string): StepResult {
  return { writes, isDone: false, message };
}

export function waiting(message: string): StepResult {
  return { writes: [], isDone: false, message };
}

export const done: StepResult = { writes: [], isDone: true, message: '' };

export function workloadsOf({ target, sources }: RolloutAttempt): readonly RolledWorkload[] {
  return [target, ...sources];
}

export function changeWorkloads(
  workloads: readonly RolledWorkload[],
  desiredOf: (workload: RolledWorkload) => DesiredWorkload,
): WorkloadWrite[] {
  return workloads.flatMap((workload) => changeWorkload(workload, desiredOf(workload)));
}

export function sum(
  workloads: readonly RolledWorkload[],
  count: (workload: RolledWorkload) => number,
): number {
  return workloads.reduce((total, workload) => total + count(workload), 0);
}

/** How many of so many pods each source keeps: those drained last keep theirs longest. */
export function sharesOf(sources: readonly SourceSize[], pods: number): ReadonlyMap<string, number> {
  let left = Math.max(0, pods);
  const keptBySource = new Map<string, number>();
  for (const { name, replicas } of sources.toReversed()) {
    const share = Math.min(replicas, left);
    keptBySource.set(name, share);
    left -= share;
  }
  return keptBySource;
}

export function plannedPods({ run, goals }: RolloutAttempt, batch: number): number {
  return Math.max(run.startingReplicas, goals[batch] ?? 0);
}
