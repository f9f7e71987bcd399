import { type Json } from '@/lib/kube/json';
import { amount, resolveAmount } from '@/lib/workloads/amount';
import { objectAt, textAt, valueAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';

/**
 * Whether a pod may take a new template while it goes on living. `only`: a template that cannot be taken so is refused.
 * https://openkruise.io/docs/core-concepts/inplace-update
 */
export type InPlace = 'never' | 'ifPossible' | 'only';

/** How a workload of OpenKruise moves its pods to the target, wherever its version keeps it. */
export interface Rolling {
  isOnDelete: boolean;
  isPaused: boolean;
  /** As written; undefined when absent. */
  partition: Json | undefined;
  unavailable: Json | undefined;
  surge: Json | undefined;
  inPlace: InPlace;
  /** Names under `spec` of the object that holds partition and pause. */
  at: readonly string[];
}

/** Reads the members that all versions share from the object at `at`. */
export function rollingAt(
  { spec }: Pick<Workload, 'spec'>,
  at: readonly string[],
  policy: string | undefined,
): Rolling {
  const rules = objectAt(spec, ...at);
  return {
    isOnDelete: textAt(spec, 'updateStrategy', 'type') === 'OnDelete',
    isPaused: valueAt(rules, 'paused') === true,
    partition: valueAt(rules, 'partition'),
    unavailable: valueAt(rules, 'maxUnavailable'),
    surge: valueAt(rules, 'maxSurge'),
    inPlace: policy === 'InPlaceOnly' ? 'only' : policy === 'InPlaceIfPossible' ? 'ifPossible' : 'never',
    at,
  };
}

/**
 * How many of `total` a partition keeps as they are. A percentage rounds up, and one between 0% and 100% neither
 * keeps all of several nor none.
 * https://github.com/openkruise/kruise/blob/master/pkg/util/tools.go (CalculatePartitionReplicas)
 */
export function keptBy(partition: Json | undefined, total: number): number {
  if (partition === undefined) return 0;
  const kept = resolveAmount(partition, total, Math.ceil);
  const isPart = typeof partition === 'string' && partition !== '100%';
  const most = isPart && total > 1 ? total - 1 : total;
  return Math.max(0, Math.min(kept, most));
}

/** "in place if possible"; null where every update makes new pods. */
export function inPlaceWords(inPlace: InPlace): string | null {
  switch (inPlace) {
    case 'never':
      return null;
    case 'ifPossible':
      return 'in place if possible';
    case 'only':
      return 'in place only';
    default:
      return inPlace satisfies never;
  }
}

/** "partition 80%": the partition as written, where there is one that keeps anything. */
export function partitionWords({ partition }: Pick<Rolling, 'partition'>): string | null {
  if (partition === undefined || partition === null || partition === 0 || partition === '0%') return null;
  return `partition ${amount(partition)}`;
}
