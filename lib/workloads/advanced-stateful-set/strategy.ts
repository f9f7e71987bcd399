import { formatAmount, resolveAmount } from '@/lib/kube/amount';
import {
  formatInPlace,
  formatPartition,
  type RollingSettings,
  readRollingSettings,
} from '@/lib/workloads/kruise/rolling';
import { type KruiseRules, type HeldPods, heldByNumber } from '@/lib/workloads/kruise/rules';
import type { PodSummary } from '@/lib/history/pod';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { desiredOf, indexOf, sortByOrdinal, isOrdered } from '@/lib/workloads/stateful-set/ordinals';
import type { Workload } from '@/lib/history/workload';

const advancedStatefulSets: ResourceType = {
  id: 'statefulsets.apps.kruise.io',
  group: 'apps.kruise.io',
  versions: ['v1beta1', 'v1alpha1'],
  plural: 'statefulsets',
  kind: 'StatefulSet',
  label: 'Advanced StatefulSet',
  isCustom: true,
};

const STRATEGY_PATH = ['updateStrategy', 'rollingUpdate'];

export const advancedStatefulSetRules: KruiseRules = {
  resource: advancedStatefulSets,
  title: 'Advanced StatefulSet',
  unit: 'pod',
  waitsForDeletion: true,
  rollingOf,
  desiredOf,
  describeStrategy,
  partitionKeeps: (workload) => (isUnordered(workload) ? 'number' : 'ordinals'),
  partitionOf,
  heldCountOf,
  heldPodsOf,
  otherHoldOf: () => null,
  unavailableOf,
  pace,
  findBlockingPod,
};

function rollingOf(workload: Workload): RollingSettings {
  return readRollingSettings(
    workload,
    STRATEGY_PATH,
    textAt(workload.spec, ...STRATEGY_PATH, 'podUpdatePolicy'),
  );
}

/** The number as written; {@link isUnordered} decides whether it counts ordinals or pods. */
export function partitionOf(workload: Workload): number {
  const { isOnDelete, partition } = rollingOf(workload);
  return isOnDelete || typeof partition !== 'number' ? 0 : partition;
}

/** Without an order the partition is the number of pods that stay on their revision, no matter which. */
export function isUnordered({ spec }: Pick<Workload, 'spec'>): boolean {
  return objectAt(spec, ...STRATEGY_PATH, 'unorderedUpdate') !== undefined;
}

/** Ordinals that the set skips. Later versions accept "3" as well; ranges such as "10-12" are not counted. */
function reservedOf({ spec }: Pick<Workload, 'spec'>): number[] {
  const reserved = valueAt(spec, 'reserveOrdinals');
  if (!Array.isArray(reserved)) return [];
  return reserved.flatMap((entry) =>
    typeof entry === 'number'
      ? [entry]
      : typeof entry === 'string' && /^\d+$/.test(entry)
        ? [Number(entry)]
        : [],
  );
}

function heldCountOf(workload: Workload): number {
  const partition = partitionOf(workload);
  const start = numberAt(workload.spec, 'ordinals', 'start') ?? 0;
  const isBelow = (ordinal: number) => ordinal >= start && ordinal - start < partition;
  const reserved = isUnordered(workload) ? [] : reservedOf(workload).filter(isBelow);
  return Math.min(partition - new Set(reserved).size, desiredOf(workload));
}

function heldPodsOf(workload: Workload, others: readonly PodSummary[], partition: number): HeldPods {
  if (isUnordered(workload)) return heldByNumber(others, partition);
  const pods = sortByOrdinal(workload, others).filter(
    (pod) => (indexOf(workload, pod.name) ?? Infinity) < partition,
  );
  return { number: pods.length, pods };
}

/** "RollingUpdate, partition 2, in place if possible, unavailable 1, ordered", "OnDelete, parallel". */
function describeStrategy(workload: Workload): string {
  const rolling = rollingOf(workload);
  const order = isOrdered(workload) ? 'ordered' : isUnordered(workload) ? 'unordered' : 'parallel';
  if (rolling.isOnDelete) return `OnDelete, ${order}`;
  const partition = formatPartition(rolling);
  const inPlace = formatInPlace(rolling.inPlace);
  return [
    'RollingUpdate',
    ...(partition === null ? [] : [partition]),
    ...(inPlace === null ? [] : [inPlace]),
    ...(rolling.unavailable === undefined ? [] : [`unavailable ${formatAmount(rolling.unavailable)}`]),
    order,
    ...(rolling.isPaused ? ['paused'] : []),
  ].join(', ');
}

/** The number rounds down and is at least 1; an ordered set updates one pod at a time. */
function unavailableOf(workload: Workload): number {
  const limit = resolveAmount(rollingOf(workload).unavailable ?? 1, desiredOf(workload), Math.floor);
  return isOrdered(workload) ? 1 : Math.max(1, limit);
}

function pace(workload: Workload): string {
  const atOnce = unavailableOf(workload);
  if (isUnordered(workload)) return `at most ${atOnce} at a time`;
  if (atOnce === 1) return 'highest ordinal first, each after the previous one is ready';
  return `highest ordinal first, at most ${atOnce} at a time`;
}

/**
 * An ordered set stops at the first pod that is not ready, before it replaces any.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_control.go
 */
function findBlockingPod(
  workload: Workload,
  others: readonly PodSummary[],
  pods: readonly PodSummary[],
): PodSummary | null {
  if (!isOrdered(workload) || rollingOf(workload).isOnDelete) return null;
  const first = sortByOrdinal(workload, pods).find((pod) => !pod.ready);
  if (first === undefined || !others.some(({ uid }) => uid === first.uid)) return null;
  return (indexOf(workload, first.name) ?? -1) >= partitionOf(workload) ? first : null;
}
