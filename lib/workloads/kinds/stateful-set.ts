import { assembleControllerRevisionHistory, findOwned } from '@/lib/workloads/controller-revisions';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import type { RevisionHistory } from '@/lib/history/revision';
import type { HistoryInput, WorkloadKind } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import { parentOfStatefulSet } from '@/lib/workloads/leader-worker-set/objects';
import type { UpdateRules } from '@/lib/engine/update';
import { updateKind } from '@/lib/workloads/update-kind';
import { numberAt, textAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import {
  desiredOf,
  findBlockingPod,
  findHeldPods,
  indexOf,
  partitionOf,
  sortForUpdate,
  strategyOf,
  isOrdered,
  paceByOrdinal,
} from '@/lib/workloads/stateful-set/ordinals';
import { statefulSetFacts } from '@/lib/workloads/stateful-set/facts';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import { formatStrategy } from '@/lib/messages/plan';
import { resolveAmount } from '@/lib/kube/amount';

const resource: ResourceType = {
  id: 'statefulsets.apps',
  group: 'apps',
  versions: ['v1'],
  plural: 'statefulsets',
  kind: 'StatefulSet',
};

const rules: UpdateRules = {
  resource,
  title: 'StatefulSet',
  unit: 'pod',
  hasClaims: true,
  rollingOf: (workload) => ({
    isOnDelete: strategyOf(workload) === 'OnDelete',
    partition: valueAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'partition'),
    path: ['updateStrategy', 'rollingUpdate'],
    created: { type: 'RollingUpdate' },
  }),
  desiredOf,
  describeStrategy,
  partitionKeeps: () => 'ordinals',
  partitionOf,
  heldCountOf: (workload) => Math.min(partitionOf(workload), desiredOf(workload)),
  heldPodsOf: findHeldPods,
  unavailableOf,
  // https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
  ignoresUnready: (workload) => !isOrdered(workload),
  pace: (workload) => paceByOrdinal(unavailableOf(workload)),
  sort: sortForUpdate,
  isAwaited,
  findBlockingPod,
};

function unavailableOf(workload: Workload): number {
  const limit = valueAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'maxUnavailable') ?? 1;
  return Math.max(1, resolveAmount(limit, desiredOf(workload), Math.ceil));
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ */
export const statefulSet: WorkloadKind = {
  ...updateKind(rules),
  source: controllerRevisions,
  history: readHistory,
  facts: statefulSetFacts,
  parentOf: parentOfStatefulSet,
};

function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const owned = findOwned(input);
  const target = findTarget(workload, owned.oldestFirst);
  const byName = new Map(owned.oldestFirst.map((source) => [source.name, source]));
  const currentName = textAt(workload.status, 'currentRevision') ?? target?.name;
  const updateName = textAt(workload.status, 'updateRevision');
  return assembleControllerRevisionHistory(input, owned, {
    target,
    isCurrent: (source) => source.name === currentName,
    isLiveForController: (source) =>
      source.name === currentName || source.name === updateName || source.uid === target?.uid,
    // The label holds the name of the revision, unlike that of a DaemonSet's pods.
    sourceOfPod: (pod) => (pod.revisionLabel === null ? undefined : byName.get(pod.revisionLabel)),
    prunedNext: new Set(findPrunedNext(workload, owned)),
    warnings: [],
  });
}

/**
 * The status names the target once the controller has observed the spec. Until then templates are compared,
 * by bytes first and then by meaning with the newest revision alone, as the controller does it.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
 * (getStatefulSetRevisions)
 */
function findTarget(workload: Workload, oldestFirst: readonly RevisionSource[]): RevisionSource | null {
  const observed = numberAt(workload.status, 'observedGeneration') ?? 0;
  const named = oldestFirst.find((source) => source.name === textAt(workload.status, 'updateRevision'));
  if (observed >= workload.generation && named !== undefined) return named;
  const equal = oldestFirst.findLast((source) => source.bodyId === workload.bodyId);
  if (equal !== undefined) return equal;
  const newest = oldestFirst.at(-1);
  return newest !== undefined && isEqualTemplate(newest, workload) ? newest : null;
}

/** Once one more revision is complete, only pods below the partition, or all under OnDelete, keep older ones live. */
function findPrunedNext(
  workload: Workload,
  { oldestFirst, pods }: { oldestFirst: readonly RevisionSource[]; pods: readonly PodSummary[] },
): string[] {
  const isOnDelete = strategyOf(workload) === 'OnDelete';
  const partition = partitionOf(workload);
  const heldPods = pods.filter((pod) => isOnDelete || (indexOf(workload, pod.name) ?? Infinity) < partition);
  const live = new Set(heldPods.map((pod) => pod.revisionLabel));
  if (isOnDelete || partition > 0) live.add(textAt(workload.status, 'currentRevision') ?? null);
  const limit = numberAt(workload.spec, 'revisionHistoryLimit') ?? 10;
  return prunedByStatefulSet(oldestFirst, limit, ({ name }) => live.has(name));
}

/** "RollingUpdate, partition 2, ordered", "OnDelete, parallel". */
function describeStrategy(workload: Workload): string {
  const unavailable = valueAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'maxUnavailable');
  const order = isOrdered(workload) ? 'ordered' : 'parallel';
  return formatStrategy(strategyOf(workload), { partition: partitionOf(workload), unavailable }, order);
}

/** Any pod that is not ready and that an ordered update reaches, though it waits for the first of them. */
function isAwaited(workload: Workload, pod: PodSummary): boolean {
  return isOrdered(workload) && !pod.ready && (indexOf(workload, pod.name) ?? -1) >= partitionOf(workload);
}
