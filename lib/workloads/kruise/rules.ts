import type { PodSummary } from '@/lib/history/pod';
import type { ResourceType } from '@/lib/kube/resource';
import type { RollingSettings } from '@/lib/workloads/kruise/rolling';
import type { Workload } from '@/lib/history/workload';

/** The pods that a partition holds: all of them by name, or only their number where the controller chooses. */
export interface HeldPods {
  number: number;
  pods: readonly PodSummary[] | null;
}

/** What the plans and the status of a workload of OpenKruise need to know of its kind. */
export interface KruiseRules {
  readonly resource: ResourceType;
  /** Its display name: "Advanced StatefulSet". */
  readonly title: string;
  readonly unit: 'pod' | 'node';
  /** A pod that ends keeps its place: the next one is created only then. */
  readonly waitsForDeletion: boolean;
  rollingOf(workload: Workload): RollingSettings;
  desiredOf(workload: Workload): number;
  describeStrategy(workload: Workload): string;
  /** Whether the partition counts ordinals, or pods no matter which. */
  partitionKeeps(workload: Workload): 'ordinals' | 'number';
  /** The partition as a number, in the meaning of the kind; 0 where nothing is held. */
  partitionOf(workload: Workload): number;
  /** How many of the desired pods the partition holds. */
  heldCountOf(workload: Workload): number;
  /**
   * Which of `others`, active pods that run another revision than the target, a partition of `partition` holds.
   */
  heldPodsOf(workload: Workload, others: readonly PodSummary[], partition: number): HeldPods;
  /** What else holds an uncounted number of pods; null where nothing does. */
  otherHoldOf(workload: Workload): string | null;
  /** How many pods may be unavailable at a time. */
  unavailableOf(workload: Workload): number;
  /** How many may be unavailable at a time, and their order: a clause after "pods are replaced". */
  pace(workload: Workload): string;
  /** A blocked pod that an ordered update waits for. */
  findBlockingPod(
    workload: Workload,
    others: readonly PodSummary[],
    pods: readonly PodSummary[],
  ): PodSummary | null;
}

/**
 * For kinds whose partition is a number of pods: the controller chooses which of them stay on their revision.
 */
export function heldByNumber(others: readonly PodSummary[], heldCount: number): HeldPods {
  const number = Math.min(others.length, heldCount);
  return { number, pods: number === others.length ? others : number === 0 ? [] : null };
}
