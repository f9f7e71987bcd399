import { deepEqual } from '@/lib/kube/json';
import { parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { claim } from '@/sandbox/controllers/engine/claim';
import { ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type AdvancedStatefulSet,
  withDefaults,
  type AdvancedStatefulSetStatus,
} from '@/sandbox/controllers/kruise/advanced-stateful-set/advanced-stateful-set';
import { movePods } from '@/sandbox/controllers/kruise/advanced-stateful-set/moves';
import { openGate, isChanging } from '@/sandbox/controllers/kruise/shared/in-place';
import {
  isActive,
  isDeleting,
  nextAvailableIn,
  type Pod,
  isAvailable,
} from '@/sandbox/controllers/objects/pod';
import { identityOf, revisionOfPod } from '@/sandbox/controllers/stateful-set/pods';
import {
  adoptOrphans,
  type ChosenRevisions,
  chooseRevisions,
  listRevisions,
  truncateHistory,
} from '@/sandbox/controllers/stateful-set/revisions';
import { selectorText } from '@/sandbox/api/objects/scale';
import { countPods, isRunningAndReady, statefulSetStatus } from '@/sandbox/controllers/stateful-set/status';

type Sets = Resource<AdvancedStatefulSet>;

/**
 * Maintains numbered pods and their revisions by the rules of OpenKruise, once its kind is served.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/statefulset_controller.go
 */
export function runAdvancedStatefulSets(manager: ControllerManager): void {
  const kind = manager.follow<AdvancedStatefulSet>('statefulsets.apps.kruise.io');
  const work = manager.register(async (key) => {
    if (kind.resource !== undefined) await syncSet(manager, kind.resource, work, key);
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

async function syncSet(
  manager: ControllerManager,
  sets: Sets,
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
    await update(manager, sets, set, chosen);
  } finally {
    await truncateHistory(manager, set, await claimPods(manager, sets, set), revisions, chosen);
  }
  const pods = await claimPods(manager, sets, set);
  const waitMs = nextAvailableIn(pods, set.spec.minReadySeconds, manager.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

/** The status is written even when the rest fails. */
async function update(
  manager: ControllerManager,
  sets: Sets,
  set: AdvancedStatefulSet,
  chosen: ChosenRevisions,
): Promise<void> {
  try {
    if (isDeleting(set)) return;
    for (const pod of await claimPods(manager, sets, set)) if (isActive(pod)) await openGate(manager, pod);
    await movePods(manager, set, chosen, await claimPods(manager, sets, set));
  } finally {
    const pods = await claimPods(manager, sets, set);
    const status = advancedStatus(set, chosen, pods, manager.now());
    if (!deepEqual(status, set.status)) await sets.as('kruise-manager').replaceStatus({ ...set, status });
  }
}

function claimPods(manager: ControllerManager, sets: Sets, set: AdvancedStatefulSet): Promise<Pod[]> {
  return claim({
    owner: set,
    owners: sets,
    selector: parseLabelSelector(set.spec.selector),
    resource: manager.pods,
    candidates: manager.pods.store.inNamespace(set.metadata.namespace),
    matches: ({ metadata }) => identityOf(metadata.name)?.parent === set.metadata.name,
  });
}

/**
 * As of a StatefulSet, with what is ready and available at the update revision.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet)
 */
function advancedStatus(
  set: AdvancedStatefulSet,
  chosen: ChosenRevisions,
  pods: readonly Pod[],
  now: number,
): AdvancedStatefulSetStatus {
  const { minReadySeconds, selector } = set.spec;
  const settled = pods.filter((pod) => !isChanging(pod));
  const ready = settled.filter(
    (pod) => isRunningAndReady(pod) && revisionOfPod(pod) === chosen.update.metadata.name,
  );
  const counts = countPods(pods, chosen, minReadySeconds, now);
  const { readyReplicas, availableReplicas } = countPods(settled, chosen, minReadySeconds, now);
  return {
    ...statefulSetStatus(set, chosen, { ...counts, readyReplicas, availableReplicas }),
    ...(ready.length === 0 ? {} : { updatedReadyReplicas: ready.length }),
    updatedAvailableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    labelSelector: selectorText(selector),
  };
}
