import { deepEqual } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { claim, ownersConcerned } from '@/sandbox/controllers/runtime/owners';
import { podDraft, podMessage, reportPod } from '@/sandbox/controllers/runtime/pod-control';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import {
  isActive,
  isAvailable,
  isDeleting,
  isReady,
  isTerminal,
  nextAvailableIn,
  type Pod,
  readySince,
} from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';
import type { ReplicaSet, ReplicaSetStatus } from '@/sandbox/controllers/objects/workloads';

/**
 * Maintains the desired number of pods of each ReplicaSet.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/replicaset/replica_set.go
 */
export function runReplicaSets(manager: ControllerManager): void {
  const work = manager.register((key) => syncReplicaSet(manager, work, key));
  manager.replicaSets.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  manager.pods.store.onChange((change) => {
    for (const key of ownersConcerned(manager.replicaSets, change)) work.add(key);
  });
}

async function syncReplicaSet(manager: ControllerManager, work: Worklist, key: ObjectKey): Promise<void> {
  const set = manager.replicaSets.store.get(key);
  if (set === undefined) return;
  const pods = manager.pods.store.inNamespace(set.metadata.namespace);
  const active = await claim({
    owner: set,
    owners: manager.replicaSets,
    resource: manager.pods,
    candidates: pods.filter(isActive),
  });
  const terminating = pods.filter((pod) => isDeleting(pod) && !isTerminal(pod) && isControlledBy(pod, set));
  try {
    if (!isDeleting(set)) await manageReplicas(manager, set, active);
  } finally {
    const status = replicaSetStatus(set, active, terminating.length, manager.now());
    if (!deepEqual(status, set.status)) await manager.replicaSets.replaceStatus({ ...set, status });
  }
  const waitMs = nextAvailableIn(active, set.spec.minReadySeconds, manager.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

async function manageReplicas(
  manager: ControllerManager,
  set: ReplicaSet,
  active: readonly Pod[],
): Promise<void> {
  const missing = set.spec.replicas - active.length;
  const drafts = Array.from({ length: Math.max(0, missing) }, () => podDraft(set, set.spec.template));
  const reporter = { about: set, component: 'replicaset-controller', message: podMessage };
  await manager.each(drafts, (draft) =>
    reportPod(manager, reporter, 'create', '', async () => {
      const { metadata } = await manager.pods.create(set.metadata.namespace, draft);
      return metadata.name;
    }),
  );
  const spared = podsToSpare(active, active, Math.max(0, -missing), manager.now());
  await manager.each(spared, (pod) =>
    reportPod(manager, reporter, 'delete', pod.metadata.name, async () =>
      (await manager.pods.delete(pod)) ? pod.metadata.name : undefined,
    ),
  );
}

/**
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/replicaset/replica_set_utils.go (calculateStatus)
 */
function replicaSetStatus(
  { spec, metadata }: ReplicaSet,
  active: readonly Pod[],
  terminatingReplicas: number,
  now: number,
): ReplicaSetStatus {
  const ofTemplate = parseLabelSelector({ matchLabels: spec.template.metadata?.labels ?? {} });
  const status = {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesSelector(ofTemplate, pod.metadata.labels ?? {}))
      .length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, spec.minReadySeconds, now)).length,
    terminatingReplicas,
    observedGeneration: metadata.generation ?? 0,
  };
  return withoutZeros(status, ['replicas', 'terminatingReplicas']);
}

const PHASES = ['Pending', 'Unknown', 'Running'];

/**
 * The `count` pods to delete first. Related pods are those of all ReplicaSets of the same owner: a pod on a
 * node with many of them is deleted first.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_utils.go (ActivePodsWithRanks)
 */
export function podsToSpare(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  now: number,
): Pod[] {
  const crowd = new Map<string, number>();
  for (const { spec } of related.filter(isActive))
    crowd.set(spec.nodeName ?? '', (crowd.get(spec.nodeName ?? '') ?? 0) + 1);
  return pods.toSorted((a, b) => compare(a, b, crowd, now)).slice(0, count);
}

/** Negative when `a` is deleted before `b`; the first rule that distinguishes them decides. */
function compare(a: Pod, b: Pod, crowd: ReadonlyMap<string, number>, now: number): number {
  return (
    Number(hasNode(a)) - Number(hasNode(b)) ||
    PHASES.indexOf(a.status.phase ?? '') - PHASES.indexOf(b.status.phase ?? '') ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (crowd.get(b.spec.nodeName ?? '') ?? 0) - (crowd.get(a.spec.nodeName ?? '') ?? 0) ||
    compareAges(a, b, readySince(a), readySince(b), now) ||
    restartsOf(b) - restartsOf(a) ||
    compareAges(a, b, timeOf(a.metadata.creationTimestamp), timeOf(b.metadata.creationTimestamp), now)
  );
}

function hasNode({ spec }: Pod): boolean {
  return (spec.nodeName ?? '') !== '';
}

/** The younger first; ages of the same order of magnitude count as equal, and the uid decides instead. */
function compareAges(
  a: Pod,
  b: Pod,
  timeA: number | undefined,
  timeB: number | undefined,
  now: number,
): number {
  if (timeA === timeB || timeA === undefined || timeB === undefined) return 0;
  return magnitude(now - timeA) - magnitude(now - timeB) || (a.metadata.uid < b.metadata.uid ? -1 : 1);
}

/** Of nanoseconds, to the base of two. */
function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
