import { type HeldPods, type UpdateRules, heldByNumber } from '@/lib/engine/update';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionHistory } from '@/lib/history/revision';
import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import type { Workload } from '@/lib/history/workload';
import { resolveAmount } from '@/lib/kube/amount';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { formatStrategy } from '@/lib/messages/plan';
import type { HistoryInput, WorkloadKind } from '@/lib/workloads/kind';
import { countKruisePods, kruiseFacts } from '@/lib/workloads/kruise/facts';
import { kruiseKind } from '@/lib/workloads/kruise/kind';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { KRUISE_UNDO, type KruiseSettings, readRollingSettings } from '@/lib/workloads/kruise/rolling';
import { isObservedOnce } from '@/lib/workloads/reported';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import {
  desiredOf,
  findBlockingPod,
  findHeldPods,
  indexOf,
  isOrdered,
  paceByOrdinal,
  sortForUpdate,
} from '@/lib/workloads/stateful-set/ordinals';

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

const rules = {
  resource: advancedStatefulSets,
  title: 'Advanced StatefulSet',
  unit: 'pod',
  waitsForDeletion: true,
  hasClaims: true,
  rolloutMoves: 'byPartition',
  undo: KRUISE_UNDO,
  rollingOf,
  desiredOf,
  describeStrategy,
  partitionKeeps: (workload) => (isUnordered(workload) ? 'number' : 'ordinals'),
  partitionOf,
  heldCountOf,
  heldPodsOf,
  unavailableOf,
  pace,
  sort: sortForUpdate,
  findBlockingPod: (workload, others, pods) => findBlockingPod(workload, others, pods, partitionOf(workload)),
} satisfies UpdateRules;

function rollingOf(workload: Workload): KruiseSettings {
  return readRollingSettings(
    workload,
    STRATEGY_PATH,
    textAt(workload.spec, ...STRATEGY_PATH, 'podUpdatePolicy'),
  );
}

/** The number as written; {@link isUnordered} decides whether it counts ordinals or pods. */
function partitionOf(workload: Workload): number {
  const { isOnDelete, partition } = rollingOf(workload);
  return isOnDelete || typeof partition !== 'number' ? 0 : partition;
}

/** Without an order the partition is the number of pods that stay on their revision, no matter which. */
function isUnordered({ spec }: Pick<Workload, 'spec'>): boolean {
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
  return findHeldPods(workload, others, partition);
}

/** "RollingUpdate, partition 2, in place if possible, unavailable 1, ordered", "OnDelete, parallel". */
function describeStrategy(workload: Workload): string {
  const rolling = rollingOf(workload);
  const order = isOrdered(workload) ? 'ordered' : isUnordered(workload) ? 'unordered' : 'parallel';
  if (rolling.isOnDelete) return `OnDelete, ${order}`;
  return formatStrategy('RollingUpdate', rolling, order);
}

/** The number rounds down and is at least 1; an ordered set updates one pod at a time. */
function unavailableOf(workload: Workload): number {
  const limit = resolveAmount(rollingOf(workload).unavailable ?? 1, desiredOf(workload), Math.floor);
  return isOrdered(workload) ? 1 : Math.max(1, limit);
}

function pace(workload: Workload): string {
  const atOnce = unavailableOf(workload);
  if (isUnordered(workload)) return `at most ${atOnce} at a time`;
  return paceByOrdinal(atOnce);
}

/** https://openkruise.io/docs/user-manuals/advancedstatefulset */
export const advancedStatefulSet: WorkloadKind = {
  ...kruiseKind(rules),
  source: controllerRevisions,
  history: readHistory,
  facts: (input) => kruiseFacts(input, rules, countKruisePods(input.workload), kubectlStatus(input.workload)),
};

/**
 * Once one more revision is complete, only pods that the partition holds, or all under OnDelete, keep older
 * ones live.
 */
function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const { isOnDelete, isPaused } = rules.rollingOf(workload);
  const partition = partitionOf(workload);
  const holdsAllPods = isOnDelete || isPaused || (isUnordered(workload) && partition > 0);
  return kruiseHistory(input, {
    update: textAt(workload.status, 'updateRevision'),
    current: textAt(workload.status, 'currentRevision'),
    isHeld: (pod) => holdsAllPods || (indexOf(workload, pod.name) ?? Infinity) < partition,
    prunedBy: prunedByStatefulSet,
  });
}

/** https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/rollout_status.go */
function kubectlStatus(workload: Workload): string {
  const { spec, status } = workload;
  const { updated, ready, available } = countKruisePods(workload);
  const replicas = numberAt(spec, 'replicas');
  const partition = numberAt(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  const isRolling = textAt(spec, 'updateStrategy', 'type') === 'RollingUpdate';
  if (isRolling && replicas !== undefined && partition !== undefined && updated < replicas - partition)
    return `Waiting for partitioned roll out to finish:${updated} out of ${replicas - partition} new pods has been updated...`;
  if (!isObservedOnce(workload)) return 'Waiting for Advanced StatefulSet spec update to be observed...';
  if (replicas !== undefined && ready < replicas)
    return `Waiting for ${replicas - ready} pods to be ready...`;
  const update = textAt(status, 'updateRevision') ?? '';
  return `Advanced StatefulSet rolling update complete ${available} pods at revision ${update}...`;
}
