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
export function runDaemonSets(world: ControllerManager): void {
  const work = world.register((key) => syncDaemonSet(world, work, key));
  world.daemonSets.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  const addOwners = (change: ObjectChange<KubeObject>) => {
    for (const key of ownersConcerned(world.daemonSets, change)) work.add(key);
  };
  world.pods.store.onChange(addOwners);
  world.revisions.store.onChange((change) => {
    // A new revision with an owner is one that the controller wrote itself.
    const { object, before } = change;
    const isOwned = object !== undefined && controllerOf(object) !== undefined;
    if (before !== undefined || !isOwned) addOwners(change);
  });
  world.nodes.store.onChange((change) => {
    if (changesPlacement(change)) for (const set of world.daemonSets.store.all()) work.add(keyOf(set));
  });
}

async function syncDaemonSet(world: ControllerManager, work: Worklist, key: ObjectKey): Promise<void> {
  const set = world.daemonSets.store.get(key);
  if (set === undefined || isDeleting(set)) return;
  const { current, old } = await constructHistory(world, world.daemonSets, set, await claimPods(world, set));
  const hash = current.metadata.labels?.[HASH_LABEL] ?? '';
  try {
    await updatePods(world, set, hash);
    await cleanUpHistory(world, set, old, await claimPods(world, set));
  } finally {
    await saveStatus(world, set, hash, await claimPods(world, set));
  }
  const waitMs = nextAvailableIn(await claimPods(world, set), set.spec.minReadySeconds, world.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

async function saveStatus(
  world: ControllerManager,
  set: DaemonSet,
  hash: string,
  pods: readonly Pod[],
): Promise<void> {
  const status = daemonSetStatus(set, world.nodes.store.all(), podsByNode(pods), hash, world.now());
  if (!deepEqual(status, set.status)) await world.daemonSets.replaceStatus({ ...set, status });
}

function claimPods(world: ControllerManager, set: DaemonSet): Promise<Pod[]> {
  return claim({
    owner: set,
    owners: world.daemonSets,
    selector: parseLabelSelector(set.spec.selector),
    resource: world.pods,
    candidates: world.pods.store.inNamespace(set.metadata.namespace),
  });
}

async function updatePods(world: ControllerManager, set: DaemonSet, hash: string): Promise<void> {
  const nodes = world.nodes.store.all();
  const present = podsByNode(await claimPods(world, set));
  await move(world, set, hash, missingAndSurplus(set, nodes, present, hash, world.now()));
  if (set.spec.updateStrategy.type !== 'RollingUpdate') return;
  const moved = podsByNode(await claimPods(world, set));
  const states = nodes.map((node) => ({
    name: node.metadata.name,
    shouldRun: suits(set, node).shouldRun,
    pods: moved.get(node.metadata.name) ?? [],
  }));
  await move(world, set, hash, nextMoves(set, hash, states, world.now()));
}

async function move(
  world: ControllerManager,
  set: DaemonSet,
  hash: string,
  { doomed, nodes }: Moves,
): Promise<void> {
  const template = daemonTemplate(set, hash);
  try {
    await world.slowStart(nodes.slice(0, BURST), (node) =>
      createPod(world, COMPONENT, set, forNode(template, node)),
    );
  } finally {
    await world.each(doomed.slice(0, BURST), (pod) => deletePod(world, COMPONENT, set, pod));
  }
}
