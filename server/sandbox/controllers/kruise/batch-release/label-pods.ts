import { type World } from '@/server/sandbox/controllers/engine/world';
import { type ReleasePlan } from '@/server/sandbox/controllers/kruise/batch-release/batch-release-object';
import { type Control } from '@/server/sandbox/controllers/kruise/batch-release/control';
import { BATCH_ID, ROLLOUT_ID, sizeOf } from '@/server/sandbox/controllers/kruise/rollout/rollout-object';
import { CONTROLLER_REVISION_HASH } from '@/server/sandbox/controllers/kruise/rollout/workload';
import { type Pod } from '@/server/sandbox/controllers/objects/pod';

/**
 * Gives updated pods the number of the batch that brought them, as far as batches have room for them: from the
 * present one down, so that a batch that was jumped over gets some too.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/labelpatch/patcher.go
 */
export async function labelPods(
  world: World,
  control: Control,
  plan: ReleasePlan,
  replicas: number,
  batch: number,
): Promise<void> {
  const pods = world.pods.as('kruise-manager');
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

/** The batches, counted from 1, of the pods that have none of this release yet. */
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
