import {
  countAt,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  sizeAnnotations,
} from '@/sandbox/controllers/deployment/annotations';
import { activeOf, everySet, type Sets, desiredIn } from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { isRolling, maxSurge } from '@/sandbox/controllers/deployment/strategy';
import { type Deployment, type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { byCreation } from '@/sandbox/controllers/revisions/order';

/** Whether the number of replicas was changed since the active ReplicaSets were last sized. */
export function isScalingEvent({ spec }: Deployment, sets: Sets): boolean {
  return activeOf(everySet(sets)).some(({ metadata }) => {
    const desired = countAt(metadata.annotations, DESIRED_REPLICAS);
    return desired !== undefined && desired !== spec.replicas;
  });
}

/**
 * Adapts the sizes to a changed number of replicas without advancing the rollout.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (scale)
 */
export async function scale(rollout: DeploymentReconcile, sets: Sets): Promise<void> {
  const { spec } = rollout.deployment;
  const active = activeOf(everySet(sets));
  const only =
    active.length > 1 ? undefined : (active[0] ?? sets.fresh ?? sets.old.toSorted(byCreation).at(-1));
  if (only !== undefined) {
    if (only.spec.replicas !== spec.replicas) await resize(rollout, only, spec.replicas);
    return;
  }
  if (active.length === 0) return;
  if (isSaturated(rollout.deployment, sets.fresh)) {
    for (const old of activeOf(sets.old)) await resize(rollout, old, 0);
    return;
  }
  if (!isRolling(spec)) return;
  for (const [set, size] of proportionalSizes(rollout.deployment, active))
    await resize(rollout, set, size, true);
}

/**
 * Distributes added or removed replicas over the active ReplicaSets by their sizes; the largest gets the
 * rounding remainder.
 */
export function proportionalSizes(
  deployment: Deployment,
  active: readonly ReplicaSet[],
): Map<ReplicaSet, number> {
  const { spec } = deployment;
  const allowed = spec.replicas > 0 ? spec.replicas + maxSurge(spec) : 0;
  const toAdd = allowed - desiredIn(active);
  const inOrder = active.toSorted(
    (a, b) => b.spec.replicas - a.spec.replicas || (toAdd > 0 ? -1 : 1) * byCreation(a, b),
  );
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of inOrder) {
    const share = toAdd === 0 ? 0 : shareOf(deployment, set, toAdd, added);
    sizes.set(set, set.spec.replicas + share);
    added += share;
  }
  const [largest] = inOrder;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  return sizes;
}

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (GetReplicaSetProportion) */
function shareOf(deployment: Deployment, set: ReplicaSet, toAdd: number, added: number): number {
  if (set.spec.replicas === 0 || toAdd === added) return 0;
  const fraction = fractionOf(deployment, set);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf({ spec, status }: Deployment, set: ReplicaSet): number {
  if (spec.replicas === 0) return -set.spec.replicas;
  const before = countAt(set.metadata.annotations, MAX_REPLICAS) || (status.replicas ?? 0);
  if (before === 0) return 0;
  const size = (set.spec.replicas * (spec.replicas + maxSurge(spec))) / before;
  return Math.floor(size + 0.5) - set.spec.replicas;
}

/** The new ReplicaSet has all the pods it should have, and all of them are available. */
function isSaturated({ spec }: Deployment, fresh: ReplicaSet | undefined): boolean {
  if (fresh === undefined) return false;
  return (
    fresh.spec.replicas === spec.replicas &&
    countAt(fresh.metadata.annotations, DESIRED_REPLICAS) === spec.replicas &&
    (fresh.status.availableReplicas ?? 0) === spec.replicas
  );
}

/**
 * The ReplicaSet with a new size; with `annotate` it is also written when only its annotations about the
 * Deployment's size are outdated.
 */
export async function resize(
  rollout: DeploymentReconcile,
  set: ReplicaSet,
  size: number,
  annotate = false,
): Promise<ReplicaSet> {
  const { spec } = rollout.deployment;
  const before = set.spec.replicas;
  const marks = sizeAnnotations(spec.replicas, spec.replicas + maxSurge(spec));
  const isMarked = Object.entries(marks).every(([key, value]) => set.metadata.annotations?.[key] === value);
  if (before === size && (!annotate || isMarked)) return set;
  const written = await rollout.replaceSet({
    ...set,
    metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...marks } },
    spec: { ...set.spec, replicas: size },
  });
  if (before === size) return written;
  const direction = before < size ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`;
  rollout.record('Normal', 'ScalingReplicaSet', message);
  return written;
}
