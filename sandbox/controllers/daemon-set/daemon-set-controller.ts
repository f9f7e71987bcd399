import { deepEqual } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { cleanUpHistory, constructHistory } from '@/sandbox/controllers/daemon-set/history';
import {
  missingAndSurplus,
  podsByNode,
  suits,
  changesPlacement,
} from '@/sandbox/controllers/daemon-set/placement';
import { type Moves, nextMoves } from '@/sandbox/controllers/daemon-set/rolling-update';
import { daemonSetStatus } from '@/sandbox/controllers/daemon-set/status';
import { daemonTemplate, forNode, HASH_LABEL } from '@/sandbox/controllers/daemon-set/template';
import { claim } from '@/sandbox/controllers/engine/claim';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { createPod, deletePod } from '@/sandbox/controllers/engine/pod-control';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { controllerOf } from '@/sandbox/controllers/objects/owner';
import { isDeleting, nextAvailableIn, type Pod } from '@/sandbox/controllers/objects/pod';
import { type DaemonSet } from '@/sandbox/controllers/objects/workloads';

const COMPONENT = 'daemonset-controller';
/** At most so many pods are created or deleted at a time. */
const BURST = 250;

/**
 * Maintains one pod on each matching node, and the revisions.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/daemon_controller.go
 */
export function runDaemonSets(manager: ControllerManager): void {
  const work = manager.register((key) => syncDaemonSet(manager, work, key));
  manager.daemonSets.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  const addOwners = (change: ObjectChange<KubeObject>) => {
    for (const key of ownersConcerned(manager.daemonSets, change)) work.add(key);
  };
  manager.pods.store.onChange(addOwners);
  manager.revisions.store.onChange((change) => {
    // A new revision with an owner is one that the controller wrote itself.
    const { object, before } = change;
    const isOwned = object !== undefined && controllerOf(object) !== undefined;
    if (before !== undefined || !isOwned) addOwners(change);
  });
  manager.nodes.store.onChange((change) => {
    if (changesPlacement(change)) for (const set of manager.daemonSets.store.all()) work.add(keyOf(set));
  });
}

async function syncDaemonSet(manager: ControllerManager, work: Worklist, key: ObjectKey): Promise<void> {
  const set = manager.daemonSets.store.get(key);
  if (set === undefined || isDeleting(set)) return;
  const { current, old } = await constructHistory(
    manager,
    manager.daemonSets,
    set,
    await claimPods(manager, set),
  );
  const hash = current.metadata.labels?.[HASH_LABEL] ?? '';
  try {
    await updatePods(manager, set, hash);
    await cleanUpHistory(manager, set, old, await claimPods(manager, set));
  } finally {
    await saveStatus(manager, set, hash, await claimPods(manager, set));
  }
  const waitMs = nextAvailableIn(await claimPods(manager, set), set.spec.minReadySeconds, manager.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

async function saveStatus(
  manager: ControllerManager,
  set: DaemonSet,
  hash: string,
  pods: readonly Pod[],
): Promise<void> {
  const status = daemonSetStatus(set, manager.nodes.store.all(), podsByNode(pods), hash, manager.now());
  if (!deepEqual(status, set.status)) await manager.daemonSets.replaceStatus({ ...set, status });
}

function claimPods(manager: ControllerManager, set: DaemonSet): Promise<Pod[]> {
  return claim({
    owner: set,
    owners: manager.daemonSets,
    selector: parseLabelSelector(set.spec.selector),
    resource: manager.pods,
    candidates: manager.pods.store.inNamespace(set.metadata.namespace),
  });
}

async function updatePods(manager: ControllerManager, set: DaemonSet, hash: string): Promise<void> {
  const nodes = manager.nodes.store.all();
  const present = podsByNode(await claimPods(manager, set));
  await move(manager, set, hash, missingAndSurplus(set, nodes, present, hash, manager.now()));
  if (set.spec.updateStrategy.type !== 'RollingUpdate') return;
  const moved = podsByNode(await claimPods(manager, set));
  const states = nodes.map((node) => ({
    name: node.metadata.name,
    shouldRun: suits(set, node).shouldRun,
    pods: moved.get(node.metadata.name) ?? [],
  }));
  await move(manager, set, hash, nextMoves(set, hash, states, manager.now()));
}

async function move(
  manager: ControllerManager,
  set: DaemonSet,
  hash: string,
  { removed, nodes }: Moves,
): Promise<void> {
  const template = daemonTemplate(set, hash);
  try {
    await manager.slowStart(nodes.slice(0, BURST), (node) =>
      createPod(manager, COMPONENT, set, forNode(template, node)),
    );
  } finally {
    await manager.each(removed.slice(0, BURST), (pod) => deletePod(manager, COMPONENT, set, pod));
  }
}
