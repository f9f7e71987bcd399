import { deepEqual } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import {
  cleanUpHistory,
  constructHistory,
  type DaemonHistory,
} from '@/sandbox/controllers/daemon-set/history';
import {
  missingAndSurplus,
  podsByNode,
  suits,
  changesPlacement,
} from '@/sandbox/controllers/daemon-set/placement';
import { HASH_LABEL } from '@/sandbox/controllers/daemon-set/template';
import { claim } from '@/sandbox/controllers/engine/claim';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type AdvancedDaemonSet,
  isPaused,
  withDefaults,
  type AdvancedDaemonSetStatus,
} from '@/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set';
import { placePods, updatePods } from '@/sandbox/controllers/kruise/advanced-daemon-set/moves';
import { nextMovesInOrder } from '@/sandbox/controllers/kruise/advanced-daemon-set/update-order';
import { asNoticed, openGate } from '@/sandbox/controllers/kruise/shared/in-place';
import { controllerOf } from '@/sandbox/controllers/objects/owner';
import { isActive, isDeleting, nextAvailableIn, type Pod } from '@/sandbox/controllers/objects/pod';
import { daemonSetStatus } from '@/sandbox/controllers/daemon-set/status';
import { type KubeNode } from '@/sandbox/controllers/objects/node';

type Sets = Resource<AdvancedDaemonSet>;

/**
 * Maintains one pod on each matching node, and the revisions, by the rules of OpenKruise, once its kind is
 * served.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/daemonset/daemonset_controller.go
 */
export function runAdvancedDaemonSets(manager: ControllerManager): void {
  const kind = manager.follow<AdvancedDaemonSet>('daemonsets.apps.kruise.io');
  const work = manager.register(async (key) => {
    if (kind.resource !== undefined) await syncSet(manager, kind.resource, work, key);
  });
  kind.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  const addOwners = (change: ObjectChange<KubeObject>) => {
    if (kind.resource === undefined) return;
    for (const key of ownersConcerned(kind.resource, change)) work.add(key);
  };
  manager.pods.store.onChange(addOwners);
  manager.revisions.store.onChange((change) => {
    // A new revision with an owner is one that the controller wrote itself.
    const { object, before } = change;
    const isOwned = object !== undefined && controllerOf(object) !== undefined;
    if (before !== undefined || !isOwned) addOwners(change);
  });
  manager.nodes.store.onChange((change) => {
    if (changesPlacement(change)) for (const set of kind.resource?.store.all() ?? []) work.add(keyOf(set));
  });
}

async function syncSet(
  manager: ControllerManager,
  sets: Sets,
  work: Worklist,
  key: ObjectKey,
): Promise<void> {
  const stored = sets.store.get(key);
  if (stored === undefined || isDeleting(stored)) return;
  const set = withDefaults(stored);
  const history = await constructHistory(manager, sets, set, await claimPods(manager, sets, set));
  try {
    await move(manager, sets, set, history);
    await cleanUpHistory(manager, set, history.old, await claimPods(manager, sets, set));
  } finally {
    const pods = await claimPods(manager, sets, set);
    const hash = hashOf(history);
    const status = advancedDaemonStatus(
      set,
      manager.nodes.store.all(),
      podsByNode(pods),
      hash,
      manager.now(),
    );
    if (!deepEqual(status, set.status)) await sets.as('kruise-manager').replaceStatus({ ...set, status });
  }
  const pods = await claimPods(manager, sets, set);
  const waitMs = nextAvailableIn(pods, set.spec.minReadySeconds, manager.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

async function move(
  manager: ControllerManager,
  sets: Sets,
  set: AdvancedDaemonSet,
  history: DaemonHistory,
): Promise<void> {
  const nodes = manager.nodes.store.all();
  const hash = hashOf(history);
  for (const pod of await claimPods(manager, sets, set)) if (isActive(pod)) await openGate(manager, pod);
  const present = podsByNode(await claimPods(manager, sets, set));
  await placePods(manager, set, hash, missingAndSurplus(set, nodes, present, hash, manager.now()));
  if (set.spec.updateStrategy.type !== 'RollingUpdate' || isPaused(set)) return;
  const moved = podsByNode(await claimPods(manager, sets, set));
  const states = nodes.map((node) => ({
    node,
    name: node.metadata.name,
    shouldRun: suits(set, node).shouldRun,
    pods: moved.get(node.metadata.name) ?? [],
  }));
  await updatePods(manager, set, history, nextMovesInOrder(set, hash, states, manager.now()));
}

function hashOf({ current }: DaemonHistory): string {
  return current.metadata.labels?.[HASH_LABEL] ?? '';
}

async function claimPods(manager: ControllerManager, sets: Sets, set: AdvancedDaemonSet): Promise<Pod[]> {
  const pods = await claim({
    owner: set,
    owners: sets,
    selector: parseLabelSelector(set.spec.selector),
    resource: manager.pods,
    candidates: manager.pods.store.inNamespace(set.metadata.namespace),
  });
  return pods.map(asNoticed);
}

/**
 * As of a DaemonSet, with the hash of the current template. v1beta1 calls it the update revision; without
 * conversion, readers of both versions find it.
 * https://github.com/openkruise/kruise/blob/master/apis/apps/v1beta1/daemonset_types.go
 */
function advancedDaemonStatus(
  set: AdvancedDaemonSet,
  nodes: readonly KubeNode[],
  byNode: ReadonlyMap<string, Pod[]>,
  hash: string,
  now: number,
): AdvancedDaemonSetStatus {
  const isNewer = !set.apiVersion.endsWith('/v1alpha1');
  const status = daemonSetStatus(set, nodes, byNode, hash, now);
  const { updatedNumberScheduled = 0, collisionCount = 0 } = status;
  return {
    ...status,
    updatedNumberScheduled,
    collisionCount,
    daemonSetHash: hash,
    ...(isNewer ? { updateRevision: hash } : {}),
  };
}
