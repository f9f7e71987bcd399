import { deepEqual } from '@/lib/kube/json';
import { parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { claim } from '@/sandbox/controllers/engine/claim';
import { ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type CloneSet, rollingOf, withDefaults } from '@/sandbox/controllers/kruise/clone-set/clone-set';
import { movePods } from '@/sandbox/controllers/kruise/clone-set/moves';
import { isUpdating, lifecycle } from '@/sandbox/controllers/kruise/clone-set/pods';
import { cloneSetStatus } from '@/sandbox/controllers/kruise/clone-set/status';
import { openGate } from '@/sandbox/controllers/kruise/shared/in-place';
import { isActive, isDeleting, nextAvailableIn, type Pod } from '@/sandbox/controllers/objects/pod';
import {
  adoptOrphans,
  type ChosenRevisions,
  chooseRevisions,
  listRevisions,
  truncateHistory,
} from '@/sandbox/controllers/stateful-set/revisions';

/**
 * Maintains the desired number of pods of each CloneSet at the desired revisions, once the kind is served.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/cloneset_controller.go
 */
export function runCloneSets(manager: ControllerManager): void {
  const kind = manager.follow<CloneSet>('clonesets.apps.kruise.io');
  const work = manager.register(async (key) => {
    if (kind.resource !== undefined) await syncCloneSet(manager, kind.resource, work, key);
  });
  kind.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  manager.pods.store.onChange((change) => {
    if (kind.resource === undefined) return;
    for (const key of ownersConcerned(kind.resource, change)) work.add(key);
  });
}

async function syncCloneSet(
  manager: ControllerManager,
  sets: Resource<CloneSet>,
  work: Worklist,
  key: ObjectKey,
): Promise<void> {
  const stored = sets.store.get(key);
  if (stored === undefined) return;
  const set = withDefaults(stored);
  await adoptOrphans(manager, set, sets);
  const revisions = listRevisions(manager, set);
  let chosen: ChosenRevisions | undefined;
  try {
    chosen = await chooseRevisions(manager, set, revisions);
    try {
      if (!isDeleting(set)) await move(manager, sets, set, chosen);
    } finally {
      await saveStatus(manager, sets, set, chosen);
    }
  } finally {
    await truncateHistory(manager, set, await claimPods(manager, sets, set), revisions, chosen);
  }
  const pods = await claimPods(manager, sets, set);
  const waitMs = nextAvailableIn(pods, set.spec.minReadySeconds, manager.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

async function move(
  manager: ControllerManager,
  sets: Resource<CloneSet>,
  set: CloneSet,
  chosen: ChosenRevisions,
): Promise<void> {
  for (const pod of await claimPods(manager, sets, set)) await refresh(manager, pod);
  const pods = (await claimPods(manager, sets, set)).filter(isActive);
  await movePods(manager, set, rollingOf(set), chosen, pods);
}

/** A pod that was updated in place is available again. */
async function refresh(manager: ControllerManager, pod: Pod): Promise<void> {
  if (!isActive(pod)) return;
  const isOpen = await openGate(manager, pod);
  if (!isOpen || !isUpdating(pod)) return;
  const { labels, annotations } = lifecycle('Normal', manager.now());
  await manager.pods.as('kruise-manager').patch(pod, { labels, annotations });
}

async function saveStatus(
  manager: ControllerManager,
  sets: Resource<CloneSet>,
  set: CloneSet,
  chosen: ChosenRevisions,
): Promise<void> {
  const pods = (await claimPods(manager, sets, set)).filter(isActive);
  const status = cloneSetStatus(set, chosen, pods, manager.now());
  if (!deepEqual(status, set.status)) await sets.as('kruise-manager').replaceStatus({ ...set, status });
}

function claimPods(manager: ControllerManager, sets: Resource<CloneSet>, set: CloneSet): Promise<Pod[]> {
  return claim({
    owner: set,
    owners: sets,
    selector: parseLabelSelector(set.spec.selector),
    resource: manager.pods,
    candidates: manager.pods.store.inNamespace(set.metadata.namespace),
  });
}
