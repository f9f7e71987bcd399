import { cleanUp } from '@/sandbox/controllers/deployment/cleanup';
import { syncRevision } from '@/sandbox/controllers/deployment/new-replica-set';
import { saveProgress } from '@/sandbox/controllers/deployment/progress';
import {
  activeOf,
  availableIn,
  everySet,
  type Sets,
  desiredIn,
} from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { resize } from '@/sandbox/controllers/deployment/scale';
import { isComplete } from '@/sandbox/controllers/deployment/status';
import { maxUnavailable, newSize } from '@/sandbox/controllers/deployment/strategy';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { byCreation } from '@/sandbox/controllers/revisions/order';

/**
 * One step of a rolling update: scale the new ReplicaSet up, else the old ones down, else clean up.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rolling.go
 */
export async function roll(rollout: DeploymentReconcile): Promise<void> {
  const sets = await syncRevision(rollout, true);
  const moved = (await growNew(rollout, sets)) || (await shrinkOld(rollout, sets));
  if (!moved && isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(rollout, sets.old);
  await saveProgress(rollout, sets);
}

async function growNew(rollout: DeploymentReconcile, sets: Sets): Promise<boolean> {
  const { fresh } = sets;
  const { spec } = rollout.deployment;
  if (fresh === undefined || fresh.spec.replicas === spec.replicas) return false;
  const present = { own: fresh.spec.replicas, all: desiredIn(everySet(sets)) };
  const size = fresh.spec.replicas > spec.replicas ? spec.replicas : newSize(spec, present);
  const resized = await resize(rollout, fresh, size);
  return resized.spec.replicas !== fresh.spec.replicas;
}

async function shrinkOld(rollout: DeploymentReconcile, sets: Sets): Promise<boolean> {
  const { spec } = rollout.deployment;
  const old = activeOf(sets.old).sort(byCreation);
  if (old.length === 0) return false;
  const fresh = sets.fresh === undefined ? [] : [sets.fresh];
  const minAvailable = spec.replicas - maxUnavailable(spec);
  const unavailable = desiredIn(fresh) - availableIn(fresh);
  const budget = desiredIn([...old, ...fresh]) - minAvailable - unavailable;
  if (budget <= 0) return false;

  const healthy = await resizeAll(rollout, old, sizesWithoutUnhealthy(old, budget));
  const surplus = availableIn([...healthy, ...fresh]) - minAvailable;
  const left = await resizeAll(rollout, healthy, sizesWithout(healthy, surplus));
  return desiredIn(left) < desiredIn(old);
}

/** Sizes after removing unavailable pods, from the oldest ReplicaSet on; they only delay the rollout. */
export function sizesWithoutUnhealthy(old: readonly ReplicaSet[], budget: number): number[] {
  let left = budget;
  return old.map(({ spec, status }) => {
    const taken = Math.max(0, Math.min(left, spec.replicas - (status.availableReplicas ?? 0)));
    left -= taken;
    return spec.replicas - taken;
  });
}

/** Sizes after removing so many pods, from the oldest ReplicaSet on. */
export function sizesWithout(old: readonly ReplicaSet[], surplus: number): number[] {
  let left = Math.max(0, surplus);
  return old.map(({ spec }) => {
    const taken = Math.min(left, spec.replicas);
    left -= taken;
    return spec.replicas - taken;
  });
}

async function resizeAll(
  rollout: DeploymentReconcile,
  sets: readonly ReplicaSet[],
  sizes: readonly number[],
): Promise<ReplicaSet[]> {
  const resized: ReplicaSet[] = [];
  for (const [index, set] of sets.entries())
    resized.push(await resize(rollout, set, sizes[index] ?? set.spec.replicas));
  return resized;
}
