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
} from '@/sandbox/controllers/kruise/advanced-daemon-set/advanced-daemon-set';
import { placePods, updatePods } from '@/sandbox/controllers/kruise/advanced-daemon-set/moves';
import { advancedDaemonStatus } from '@/sandbox/controllers/kruise/advanced-daemon-set/status';
import { nextMovesInOrder } from '@/sandbox/controllers/kruise/advanced-daemon-set/update-order';
import { asNoticed, openGate } from '@/sandbox/controllers/kruise/shared/in-place';
import { controllerOf } from '@/sandbox/controllers/objects/owner';
import { isActive, isDeleting, nextAvailableIn, type Pod } from '@/sandbox/controllers/objects/pod';

type Sets = Resource<AdvancedDaemonSet>;

/**
 * Maintains one pod on each matching node, and the revisions, by the rules of OpenKruise, once its kind is
 * served.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/daemonset/daemonset_controller.go
 */
export function runAdvancedDaemonSets(world: ControllerManager): void {
  const kind = world.follow<AdvancedDaemonSet>('daemonsets.apps.kruise.io');
  const work = world.register(async (key) => {
    if (kind.resource !== undefined) await syncSet(world, kind.resource, work, key);
  });
  kind.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  const addOwners = (change: ObjectChange<KubeObject>) => {
    if (kind.resource === undefined) return;
    for (const key of ownersConcerned(kind.resource, change)) work.add(key);
  };
  world.pods.store.onChange(addOwners);
  world.revisions.store.onChange((change) => {
    // A new revision with an owner is one that the controller wrote itself.
    const { object, before } = change;
    const isOwned = object !== undefined && controllerOf(object) !== undefined;
    if (before !== undefined || !isOwned) addOwners(change);
  });
  world.nodes.store.onChange((change) => {
    if (changesPlacement(change)) for (const set of kind.resource?.store.all() ?? []) work.add(keyOf(set));
  });
}

async function syncSet(world: ControllerManager, sets: Sets, work: Worklist, key: ObjectKey): Promise<void> {
  const stored = sets.store.get(key);
  if (stored === undefined || isDeleting(stored)) return;
  const set = withDefaults(stored);
  const history = await constructHistory(world, sets, set, await claimPods(world, sets, set));
  try {
    await move(world, sets, set, history);
    await cleanUpHistory(world, set, history.old, await claimPods(world, sets, set));
  } finally {
    const pods = await claimPods(world, sets, set);
    const hash = hashOf(history);
    const status = advancedDaemonStatus(set, world.nodes.store.all(), podsByNode(pods), hash, world.now());
    if (!deepEqual(status, set.status)) await sets.as('kruise-manager').replaceStatus({ ...set, status });
  }
  const pods = await claimPods(world, sets, set);
  const waitMs = nextAvailableIn(pods, set.spec.minReadySeconds, world.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

async function move(
  world: ControllerManager,
  sets: Sets,
  set: AdvancedDaemonSet,
  history: DaemonHistory,
): Promise<void> {
  const nodes = world.nodes.store.all();
  const hash = hashOf(history);
  for (const pod of await claimPods(world, sets, set)) if (isActive(pod)) await openGate(world, pod);
  const present = podsByNode(await claimPods(world, sets, set));
  await placePods(world, set, hash, missingAndSurplus(set, nodes, present, hash, world.now()));
  if (set.spec.updateStrategy.type !== 'RollingUpdate' || isPaused(set)) return;
  const moved = podsByNode(await claimPods(world, sets, set));
  const states = nodes.map((node) => ({
    node,
    name: node.metadata.name,
    shouldRun: suits(set, node).shouldRun,
    pods: moved.get(node.metadata.name) ?? [],
  }));
  await updatePods(world, set, history, nextMovesInOrder(set, hash, states, world.now()));
}

function hashOf({ current }: DaemonHistory): string {
  return current.metadata.labels?.[HASH_LABEL] ?? '';
}

async function claimPods(world: ControllerManager, sets: Sets, set: AdvancedDaemonSet): Promise<Pod[]> {
  const pods = await claim({
    owner: set,
    owners: sets,
    selector: parseLabelSelector(set.spec.selector),
    resource: world.pods,
    candidates: world.pods.store.inNamespace(set.metadata.namespace),
  });
  return pods.map(asNoticed);
}
