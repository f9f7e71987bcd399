import type { RollingSettings } from '@/lib/engine/update';
import type { Json } from '@/lib/kube/json';
import { resolveAmount } from '@/lib/kube/amount';
import { objectAt, textAt, valueAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

/** How a workload of OpenKruise moves its pods to the target, in any version. */
export interface KruiseSettings extends Required<Omit<RollingSettings, 'created' | 'partition' | 'surge'>> {
  /** As written; undefined when absent. */
  partition: Json | undefined;
  unavailable: Json | undefined;
  surge: Json | undefined;
}

/**
 * `kubectl-kruise rollout undo` merges the template into the current one, which keeps later keys, leaves the directive
 * `$patch` behind and records another revision.
 */
export const KRUISE_UNDO =
  '# kubectl-kruise rollout undo gives another result: it merges, keeps later keys and leaves $patch in the template';

/** Reads the members that all versions share from the object at `at`. */
export function readRollingSettings(
  { spec }: Pick<Workload, 'spec'>,
  path: readonly string[],
  policy: string | undefined,
): KruiseSettings {
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
