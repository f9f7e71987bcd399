import { cleanUp } from '@/server/sandbox/controllers/deployment/cleanup';
import { syncRevision } from '@/server/sandbox/controllers/deployment/new-replica-set';
import { saveProgress } from '@/server/sandbox/controllers/deployment/progress';
import {
  activeOf,
  availableIn,
  everySet,
  type Sets,
  wantedBy,
} from '@/server/sandbox/controllers/deployment/replica-sets';
import { type Rollout } from '@/server/sandbox/controllers/deployment/rollout';
import { resize } from '@/server/sandbox/controllers/deployment/scale';
import { isComplete } from '@/server/sandbox/controllers/deployment/status';
import { maxUnavailable, newSize } from '@/server/sandbox/controllers/deployment/strategy';
import { type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';
import { byCreation } from '@/server/sandbox/controllers/revisions/order';

/**
 * One step of a rolling update: up with the new ReplicaSet, else down with the old ones, else tidy up.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rolling.go
 */
export async function roll(rollout: Rollout): Promise<void> {
  const sets = await syncRevision(rollout, true);
  const moved = (await growNew(rollout, sets)) || (await shrinkOld(rollout, sets));
  if (!moved && isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(rollout, sets.old);
  await saveProgress(rollout, sets);
}

async function growNew(rollout: Rollout, sets: Sets): Promise<boolean> {
  const { fresh } = sets;
  const { spec } = rollout.deployment;
  if (fresh === undefined || fresh.spec.replicas === spec.replicas) return false;
  const present = { own: fresh.spec.replicas, all: wantedBy(everySet(sets)) };
  const size = fresh.spec.replicas > spec.replicas ? spec.replicas : newSize(spec, present);
  const resized = await resize(rollout, fresh, size);
  return resized.spec.replicas !== fresh.spec.replicas;
}

async function shrinkOld(rollout: Rollout, sets: Sets): Promise<boolean> {
  const { spec } = rollout.deployment;
  const old = activeOf(sets.old).sort(byCreation);
  if (old.length === 0) return false;
  const fresh = sets.fresh === undefined ? [] : [sets.fresh];
  const minAvailable = spec.replicas - maxUnavailable(spec);
  const unavailable = wantedBy(fresh) - availableIn(fresh);
  const budget = wantedBy([...old, ...fresh]) - minAvailable - unavailable;
  if (budget <= 0) return false;

  const healthy = await resizeAll(rollout, old, sizesWithoutUnhealthy(old, budget));
  const surplus = availableIn([...healthy, ...fresh]) - minAvailable;
  const left = await resizeAll(rollout, healthy, sizesWithout(healthy, surplus));
  return wantedBy(left) < wantedBy(old);
}

/** Sizes after taking away pods that are not available, from the oldest ReplicaSet on; they only stand in the way. */
export function sizesWithoutUnhealthy(old: readonly ReplicaSet[], budget: number): number[] {
  let left = budget;
  return old.map(({ spec, status }) => {
    const taken = Math.max(0, Math.min(left, spec.replicas - (status.availableReplicas ?? 0)));
    left -= taken;
    return spec.replicas - taken;
  });
}

/** Sizes after taking so many pods away, from the oldest ReplicaSet on. */
export function sizesWithout(old: readonly ReplicaSet[], surplus: number): number[] {
  let left = Math.max(0, surplus);
  return old.map(({ spec }) => {
    const taken = Math.min(left, spec.replicas);
    left -= taken;
    return spec.replicas - taken;
  });
}

async function resizeAll(
  rollout: Rollout,
  sets: readonly ReplicaSet[],
  sizes: readonly number[],
): Promise<ReplicaSet[]> {
  const resized: ReplicaSet[] = [];
  for (const [index, set] of sets.entries())
    resized.push(await resize(rollout, set, sizes[index] ?? set.spec.replicas));
  return resized;
}
