import { resolveAmount } from '@/lib/kube/amount';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  ADVANCED_CONTROL,
  parseAdvancedControl,
} from '@/sandbox/controllers/kruise/batch-release/daemon-set-annotations';
import { isOf } from '@/sandbox/controllers/kruise/batch-release/revisioned';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, isReady } from '@/sandbox/controllers/objects/pod';
import { type DaemonSet } from '@/sandbox/controllers/objects/workloads';

/**
 * Deletes old pods of native DaemonSets as far as their releases have progressed; the DaemonSet controller
 * creates new ones.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/nativedaemonset
 */
export function runSteppedDaemonSets(manager: ControllerManager): void {
  const work = manager.register((key) => syncDaemonSet(manager, key));
  manager.daemonSets.store.onChange(({ object }) => {
    if (object?.metadata.annotations?.[ADVANCED_CONTROL] !== undefined) work.add(keyOf(object));
  });
  manager.pods.store.onChange((change) => {
    for (const key of ownersConcerned(manager.daemonSets, change)) {
      const set = manager.daemonSets.store.get(key);
      if (set?.metadata.annotations?.[ADVANCED_CONTROL] !== undefined) work.add(key);
    }
  });
}

async function syncDaemonSet(manager: ControllerManager, key: ObjectKey): Promise<void> {
  const set = manager.daemonSets.store.get(key);
  const control = parseAdvancedControl(set?.metadata.annotations?.[ADVANCED_CONTROL]);
  if (set === undefined || control === undefined || isDeleting(set)) return;
  const pods = manager.pods.store
    .inNamespace(set.metadata.namespace)
    .filter((pod) => isControlledBy(pod, set));
  const updated = pods.filter((pod) => isOf(pod, control.revision));
  const old = pods.filter((pod) => !updated.includes(pod) && !isDeleting(pod));
  const leaving = pods.length - updated.length - old.length;
  const desired = set.status.desiredNumberScheduled ?? pods.length;
  let wanted = Math.max(0, desired - control.kept - updated.length - leaving);
  let spare = toleratedBy(set, desired) - leaving - updated.filter((pod) => !isReady(pod)).length;
  // A node without a pod at the moment counts as unavailable.
  spare -= Math.max(0, desired - pods.length);
  wanted -= Math.max(0, desired - pods.length);
  const unready = old.filter((pod) => !isReady(pod));
  for (const pod of [...unready, ...old.filter(isReady)]) {
    if (wanted <= 0) return;
    if (isReady(pod) && spare <= 0) return;
    if (isReady(pod)) spare -= 1;
    wanted -= 1;
    await manager.pods.as('kruise-manager').delete(pod);
  }
}

function toleratedBy({ spec }: DaemonSet, desired: number): number {
  const { maxUnavailable = 1 } = spec.updateStrategy.rollingUpdate ?? {};
  return Math.max(1, resolveAmount(maxUnavailable, desired, Math.ceil));
}
