import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type ReleasePlan } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import { type Control } from '@/sandbox/controllers/kruise/batch-release/control';
import { BATCH_ID, ROLLOUT_ID, sizeOf } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { CONTROLLER_REVISION_HASH } from '@/sandbox/controllers/kruise/shared/workload';
import { type Pod } from '@/sandbox/controllers/objects/pod';

/**
 * Labels updated pods with the number of their batch, as far as batches have room: from the current one down,
 * so that a skipped batch gets some too.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/labelpatch/patcher.go
 */
export async function labelPods(
  manager: ControllerManager,
  control: Control,
  plan: ReleasePlan,
  replicas: number,
  batch: number,
): Promise<void> {
  const pods = manager.pods.as('kruise-manager');
  const updated = control.updatedPods();
  const numbers = numberPods(updated, plan, replicas, batch);
  const revisions = new Map(
    control
      .unnamedPods?.()
      .filter(({ pod }) => pod.metadata.labels?.[CONTROLLER_REVISION_HASH] === undefined)
      .map(({ pod, revision }) => [pod, revision]),
  );
  for (const pod of new Set([...numbers.keys(), ...revisions.keys()])) {
    const number = numbers.get(pod);
    const revision = revisions.get(pod);
    const labels = {
      ...(number !== undefined && { [ROLLOUT_ID]: plan.rolloutID ?? '', [BATCH_ID]: String(number) }),
      ...(revision !== undefined && { [CONTROLLER_REVISION_HASH]: revision }),
    };
    await pods.merge(pod, { metadata: { labels } });
  }
}

/** The batches, counted from 1, for the pods without one of this rollout. */
export function numberPods(
  updated: readonly Pod[],
  { batches, rolloutID }: ReleasePlan,
  replicas: number,
  batch: number,
): Map<Pod, number> {
  if (rolloutID === undefined || rolloutID === '') return new Map();
  const sizes = batches.slice(0, batch + 1).map(({ canaryReplicas }) => sizeOf(canaryReplicas, replicas));
  const room = sizes.map((size, index) => size - (sizes[index - 1] ?? 0));
  const without = updated.filter(({ metadata: { labels = {} } }) => {
    const number = labels[ROLLOUT_ID] === rolloutID ? Number(labels[BATCH_ID]) : NaN;
    if (Number.isNaN(number)) return true;
    room[number - 1] = (room[number - 1] ?? 0) - 1;
    return false;
  });
  const numbers = new Map<Pod, number>();
  for (let index = room.length - 1; index >= 0; index -= 1)
    for (let left = room[index] ?? 0; left > 0; left -= 1) {
      const pod = without.shift();
      if (pod === undefined) return numbers;
      numbers.set(pod, index + 1);
    }
  return numbers;
}
