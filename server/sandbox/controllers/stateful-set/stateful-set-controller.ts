import { parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { claim } from '@/server/sandbox/controllers/engine/claim';
import { ownersConcerned } from '@/server/sandbox/controllers/engine/owners';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type World } from '@/server/sandbox/controllers/engine/world';
import { nextAvailableIn, type Pod } from '@/server/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/server/sandbox/controllers/objects/workloads';
import { identityOf } from '@/server/sandbox/controllers/stateful-set/pods';
import {
  adoptOrphans,
  type ChosenRevisions,
  chooseRevisions,
  listRevisions,
  truncateHistory,
} from '@/server/sandbox/controllers/stateful-set/revisions';
import { isInconsistent, statefulSetStatus } from '@/server/sandbox/controllers/stateful-set/status';
import { updatePods } from '@/server/sandbox/controllers/stateful-set/update';

/**
 * Keeps numbered pods and their revisions. Like the real one it does not notice when a revision is changed or
 * deleted, until something else happens to the set.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set.go
 */
export function runStatefulSets(world: World): void {
  const work = world.register((key) => syncStatefulSet(world, work, key));
  world.statefulSets.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  world.pods.store.onChange((change) => {
    for (const key of ownersConcerned(world.statefulSets, change)) work.add(key);
  });
}

async function syncStatefulSet(world: World, work: Worklist, key: ObjectKey): Promise<void> {
  const set = world.statefulSets.store.get(key);
  if (set === undefined) return;
  await adoptOrphans(world, set, world.statefulSets);
  const pods = await claim({
    owner: set,
    owners: world.statefulSets,
    selector: parseLabelSelector(set.spec.selector),
    resource: world.pods,
    candidates: world.pods.store.in(set.metadata.namespace),
    matches: ({ metadata }) => identityOf(metadata.name)?.parent === set.metadata.name,
  });
  await update(world, set, pods);
  const waitMs = nextAvailableIn(pods, set.spec.minReadySeconds, world.now());
  if (waitMs !== undefined) work.addAfter(key, waitMs);
}

/** The history is cut to its limit also when the rest fails. */
async function update(world: World, set: StatefulSet, pods: readonly Pod[]): Promise<void> {
  const revisions = listRevisions(world, set);
  let chosen: ChosenRevisions | undefined;
  try {
    chosen = await chooseRevisions(world, set, revisions);
    const { counts, failure } = await updatePods(world, set, chosen, pods);
    const status = statefulSetStatus(set, chosen, counts);
    if (isInconsistent(set, status)) await world.statefulSets.replaceStatus({ ...set, status });
    if (failure !== undefined) throw failure;
  } finally {
    await truncateHistory(world, set, pods, revisions, chosen);
  }
}
