import { deepEqual } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { claim, ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { podDraft, podMessage, reportPod } from '@/sandbox/controllers/engine/pod-control';
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
} from '@/sandbox/controllers/objects/pod';
import { type ReplicaSet, type ReplicaSetStatus } from '@/sandbox/controllers/objects/workloads';
import { podsToSpare } from '@/sandbox/controllers/replica-set/pod-ranking';

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
