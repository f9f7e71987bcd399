import { type PodSummary } from '@/lib/workloads/pod';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Rolling } from '@/lib/workloads/kruise/rolling';
import { type Workload } from '@/lib/workloads/workload';

/** The pods that a partition holds back: all of them by name, or only their number where the controller chooses. */
export interface Staying {
  number: number;
  pods: readonly PodSummary[] | null;
}

/** What the plans and the status of a workload of OpenKruise need to know of its kind. */
export interface KruiseRules {
  readonly resource: ResourceType;
  /** As people call it: "Advanced StatefulSet". */
  readonly title: string;
  readonly unit: 'pod' | 'node';
  rollingOf(workload: Workload): Rolling;
  desiredOf(workload: Workload): number;
  /** The partition as a number, in the meaning that it has for the kind; 0 where nothing is held. */
  partitionOf(workload: Workload): number;
  /** How many of the desired pods the partition keeps from the target. */
  keptOf(workload: Workload): number;
  /** Which of `others`, active pods that run another revision than the one asked for, a partition of `partition` keeps. */
  staying(workload: Workload, others: readonly PodSummary[], partition: number): Staying;
  /** What else may keep pods from the target without a number; null where nothing does. */
  alsoHolds(workload: Workload): string | null;
  /** How many may be missing at a time, and in which order they go: a clause after "pods are replaced". */
  pace(workload: Workload): string;
  /** A pod that an ordered update waits for in vain. */
  blocking(workload: Workload, others: readonly PodSummary[], pods: readonly PodSummary[]): PodSummary | null;
}

/** For kinds whose partition is a number of pods: the controller chooses which of them stay. */
export function stayingByNumber(others: readonly PodSummary[], kept: number): Staying {
  const number = Math.min(others.length, kept);
  return { number, pods: number === others.length ? others : number === 0 ? [] : null };
}
