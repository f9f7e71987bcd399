import {
  type AdvancedRolling,
  type AdvancedStatefulSet,
  ordinalsOf,
} from '@/sandbox/controllers/kruise/advanced-stateful-set/advanced-stateful-set';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { ordinalOf, revisionOfPod, startOrdinal } from '@/sandbox/controllers/stateful-set/pods';

/** A slot of the set, with its pod if it exists. */
export interface IndexedPodSlot {
  readonly ordinal: number;
  /** The index that a partition compares: reserved ordinals count. */
  readonly index: number;
  readonly pod: Pod | undefined;
}

/** Slots in ascending order, pods to be deleted in descending order. */
export function sortPods(
  set: AdvancedStatefulSet,
  pods: readonly Pod[],
): { places: IndexedPodSlot[]; condemned: Pod[] } {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const start = startOrdinal(set);
  const ordinals = ordinalsOf(set);
  const places = ordinals.map((ordinal) => ({
    ordinal,
    index: ordinal - start,
    pod: byOrdinal.get(ordinal),
  }));
  const condemned = pods
    .filter((pod) => ordinalOf(pod) >= 0 && !ordinals.includes(ordinalOf(pod)))
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return { places, condemned };
}

/**
 * Pods in the order in which they are to be at the update revision: from the highest ordinal down to the
 * partition, or without an order as many as the partition leaves, updated ones first.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_utils.go (sortPodsToUpdate)
 */
export function orderPodsForUpdate(
  { isUnordered, partition }: AdvancedRolling,
  places: readonly IndexedPodSlot[],
  update: string,
): Pod[] {
  const inTurn = places.toReversed();
  const present = inTurn.flatMap(({ pod }) => pod ?? []);
  if (!isUnordered)
    return inTurn.flatMap(({ pod, index }) => (pod === undefined || index < partition ? [] : [pod]));
  const updated = present.filter((pod) => revisionOfPod(pod) === update);
  const others = present.filter((pod) => !updated.includes(pod));
  return [...updated, ...others].slice(0, Math.max(0, places.length - partition));
}

/** Whether a recreated pod keeps its old revision because of the partition. */
export function isKept(
  rolling: AdvancedRolling,
  places: readonly IndexedPodSlot[],
  place: IndexedPodSlot,
  update: string,
): boolean {
  if (rolling.isOnDelete) return false;
  if (!rolling.isUnordered) return place.index < rolling.partition;
  const stale = places.filter(
    (other) => other === place || other.pod === undefined || revisionOfPod(other.pod) !== update,
  );
  return stale.length <= rolling.partition;
}
