import { type Extent } from '@/lib/oam/batches';
import { type Batch } from '@/lib/oam/plan';
import { type Origin, type Rollout, type Run, type SourceSize } from '@/lib/oam/rollout';
import { change, type RolledWorkload, type Wanted, type Write } from '@/lib/oam/workload';
import { type JsonObject } from '@/lib/kube/json';

/** An attempt with the workloads that it is about, as they are now. */
export interface Held {
  readonly rollout: Rollout;
  readonly run: Run;
  /** `{name}/{uid}` of the Rollout. */
  readonly claim: string;
  readonly target: RolledWorkload;
  /** Those that are there, in the order in which they are drained. */
  readonly sources: readonly RolledWorkload[];
  readonly extent: Extent;
  readonly batches: readonly Batch[];
  /** Pods after each batch. */
  readonly goals: readonly number[];
  readonly origin: readonly Origin[];
  /** Pod template of a ControllerRevision, of which a CloneSet keeps those it may go back to. */
  readonly revisionTemplate: (name: string) => JsonObject | undefined;
}

/** The next part of something: what to write, and what is waited for when nothing is to be written and it is not done. */
export interface Step {
  readonly writes: readonly Write[];
  readonly isDone: boolean;
  /** What was asked for, or is waited for. */
  readonly message: string;
}

/** How the pods of a kind are moved. Every answer is from the present state alone. */
export interface Handling {
  readonly claim: (held: Held) => readonly Write[];
  /** Asks for everything of a batch up to so many pods of the target. */
  readonly roll: (held: Held, batch: number, goal: number) => Step;
  /** Waits for the pods of a batch. */
  readonly check: (held: Held, batch: number) => Step;
  /** Pods that the target has ready. */
  readonly ready: (held: Held) => number;
  /** Pods of the target after a batch. */
  readonly planned: (held: Held, batch: number) => number;
  /** Takes back what was asked for of a batch by halves, before another target is gone for. */
  readonly settle: (held: Held) => Step;
  readonly release: (held: Held, isSuccess: boolean) => readonly Write[];
}

export function asked(writes: readonly Write[], message: string): Step {
  return { writes, isDone: false, message };
}

export function waiting(message: string): Step {
  return { writes: [], isDone: false, message };
}

export const done: Step = { writes: [], isDone: true, message: '' };

export function allOf({ target, sources }: Held): readonly RolledWorkload[] {
  return [target, ...sources];
}

export function changeEach(
  workloads: readonly RolledWorkload[],
  wantedOf: (workload: RolledWorkload) => Wanted,
): Write[] {
  return workloads.flatMap((workload) => change(workload, wantedOf(workload)));
}

export function sum(
  workloads: readonly RolledWorkload[],
  count: (workload: RolledWorkload) => number,
): number {
  return workloads.reduce((total, workload) => total + count(workload), 0);
}

/** How many of so many pods each source keeps: those drained last keep theirs longest. */
export function shares(sources: readonly SourceSize[], pods: number): ReadonlyMap<string, number> {
  let left = Math.max(0, pods);
  const kept = new Map<string, number>();
  for (const { name, replicas } of sources.toReversed()) {
    const share = Math.min(replicas, left);
    kept.set(name, share);
    left -= share;
  }
  return kept;
}
