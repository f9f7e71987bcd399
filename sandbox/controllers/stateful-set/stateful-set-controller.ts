import { parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { claim } from '@/sandbox/controllers/engine/claim';
import { ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { nextAvailableIn, type Pod } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { identityOf } from '@/sandbox/controllers/stateful-set/pods';
import {
  adoptOrphans,
  type ChosenRevisions,
  chooseRevisions,
  listRevisions,
  truncateHistory,
} from '@/sandbox/controllers/stateful-set/revisions';
import { isInconsistent, statefulSetStatus } from '@/sandbox/controllers/stateful-set/status';
import { updatePods } from '@/sandbox/controllers/stateful-set/update';

/**
 * Maintains numbered pods and their revisions. Like the real one it does not react to a changed or deleted
 * revision, until the set itself changes.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set.go
 */
export function runStatefulSets(manager: ControllerManager): void {
  const work = manager.register((key) => syncStatefulSet(manager, work, key));
  manager.statefulSets.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  manager.pods.store.onChange((change) => {
    for (const key of ownersConcerned(manager.statefulSets, change)) work.add(key);
  });
}

async function syncStatefulSet(manager: ControllerManager, work: Worklist, key: ObjectKey): Promise<void> {
  const set = manager.statefulSets.store.get(key);
  if (set === undefined) return;
  await adoptOrphans(manager, set, manager.statefulSets);
  const pods = await claim({
    owner: set,
    owners: manager.statefulSets,
    selector: parseLabelSelector(set.spec.selector),
    resource: manager.pods,
    candidates: manager.pods.store.inNamespace(set.metadata.namespace),
    matches: ({ metadata }) => identityOf(metadata.name)?.parent === set.metadata.name,
  });
  await update(manager, set, pods);
  const waitMs = nextAvailableIn(pods, set.spec.minReadySeconds, manager.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

/** The history limit is applied even when the rest fails. */
async function update(manager: ControllerManager, set: StatefulSet, pods: readonly Pod[]): Promise<void> {
  const revisions = listRevisions(manager, set);
  let chosen: ChosenRevisions | undefined;
  try {
    chosen = await chooseRevisions(manager, set, revisions);
    const { counts, failure } = await updatePods(manager, set, chosen, pods);
    const status = statefulSetStatus(set, chosen, counts);
    if (isInconsistent(set, status)) await manager.statefulSets.replaceStatus({ ...set, status });
    if (failure !== undefined) throw failure;
  } finally {
    await truncateHistory(manager, set, pods, revisions, chosen);
  }
}
