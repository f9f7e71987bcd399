import type { Json } from '@/lib/kube/json';
import { formatAmount, resolveAmount } from '@/lib/kube/amount';
import { objectAt, textAt, valueAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

/**
 * Whether a pod can apply a new template without being replaced. `only`: a template that cannot be applied so
 * is rejected.
 * https://openkruise.io/docs/core-concepts/inplace-update
 */
export type InPlace = 'never' | 'ifPossible' | 'only';

/** How a workload of OpenKruise moves its pods to the target, in any version. */
export interface RollingSettings {
  isOnDelete: boolean;
  isPaused: boolean;
  /** As written; undefined when absent. */
  partition: Json | undefined;
  unavailable: Json | undefined;
  surge: Json | undefined;
  inPlace: InPlace;
  /** Names under `spec` of the object with partition and pause. */
  path: readonly string[];
}

/** Reads the members that all versions share from the object at `at`. */
export function readRollingSettings(
  { spec }: Pick<Workload, 'spec'>,
  path: readonly string[],
  policy: string | undefined,
): RollingSettings {
  const rules = objectAt(spec, ...path);
  return {
    isOnDelete: textAt(spec, 'updateStrategy', 'type') === 'OnDelete',
    isPaused: valueAt(rules, 'paused') === true,
    partition: valueAt(rules, 'partition'),
    unavailable: valueAt(rules, 'maxUnavailable'),
    surge: valueAt(rules, 'maxSurge'),
    inPlace: policy === 'InPlaceOnly' ? 'only' : policy === 'InPlaceIfPossible' ? 'ifPossible' : 'never',
    path,
  };
}

/**
 * How many of `total` a partition holds. A percentage rounds up, and one between 0% and 100% neither holds
 * all of several nor none.
 * https://github.com/openkruise/kruise/blob/master/pkg/util/tools.go (CalculatePartitionReplicas)
 */
export function heldByPartition(partition: Json | undefined, total: number): number {
  if (partition === undefined) return 0;
  const held = resolveAmount(partition, total, Math.ceil);
  const isPart = typeof partition === 'string' && partition !== '100%';
  const heldMax = isPart && total > 1 ? total - 1 : total;
  return Math.max(0, Math.min(held, heldMax));
}

/** "in place if possible"; null where every update replaces pods. */
export function formatInPlace(inPlace: InPlace): string | null {
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

/** "partition 80%": the partition as written, where there is one that holds any pod. */
export function formatPartition({ partition }: Pick<RollingSettings, 'partition'>): string | null {
  if (partition === undefined || partition === null || partition === 0 || partition === '0%') return null;
  return `partition ${formatAmount(partition)}`;
}
