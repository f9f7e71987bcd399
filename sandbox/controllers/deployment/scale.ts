import { resolveAmount } from '@/lib/kube/amount';
import {
  activeOf,
  availableIn,
  byNumber,
  DESIRED_REPLICAS,
  desiredIn,
  everySet,
  MAX_REPLICAS,
  type Sets,
  sizeAnnotations,
} from '@/sandbox/controllers/deployment/replica-sets';
import type { DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import type { Deployment, DeploymentSpec, ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { byCreation } from '@/sandbox/controllers/revisions/controller-revisions';

function isRolling({ strategy }: DeploymentSpec): boolean {
  return strategy.type === 'RollingUpdate';
}

/** How many pods above the desired number there may be. */
export function maxSurge(spec: DeploymentSpec): number {
  if (!isRolling(spec)) return 0;
  return resolveAmount(spec.strategy.rollingUpdate?.maxSurge ?? '25%', spec.replicas, Math.ceil);
}

/** How many of the desired pods may be missing; with neither these nor a surge an update would never progress. */
export function maxUnavailable(spec: DeploymentSpec): number {
  if (!isRolling(spec)) return 0;
  const { strategy, replicas } = spec;
  const some = resolveAmount(strategy.rollingUpdate?.maxUnavailable ?? '25%', replicas, Math.floor);
  return Math.min(maxSurge(spec) === 0 ? Math.max(1, some) : some, replicas);
}

/**
 * The current size limit of the new ReplicaSet.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (NewRSNewReplicas)
 */
export function newSize(spec: DeploymentSpec, present: { own: number; all: number }): number {
  if (!isRolling(spec)) return spec.replicas;
  const room = spec.replicas + maxSurge(spec) - present.all;
  return room <= 0 ? present.own : present.own + Math.min(room, spec.replicas - present.own);
}

function countAt({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text === undefined ? undefined : Number(text);
}

/** Whether the number of replicas was changed since the active ReplicaSets were last sized. */
export function isScalingEvent({ spec }: Deployment, sets: Sets): boolean {
  return activeOf(everySet(sets)).some(
    (set) => (countAt(set, DESIRED_REPLICAS) ?? spec.replicas) !== spec.replicas,
  );
}

/**
 * Adapts the sizes to a changed number of replicas without advancing the rollout.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (scale)
 */
export async function scale(rollout: DeploymentReconcile, sets: Sets): Promise<void> {
  const { spec } = rollout.deployment;
  const active = activeOf(everySet(sets));
  if (active.length < 2) {
    const only = active[0] ?? sets.fresh ?? sets.old.toSorted(byCreation).at(-1);
    if (only !== undefined && only.spec.replicas !== spec.replicas)
      await resize(rollout, only, spec.replicas);
  } else if (isSaturated(rollout.deployment, sets.fresh)) {
    for (const old of activeOf(sets.old)) await resize(rollout, old, 0);
  } else if (isRolling(spec)) {
    for (const [set, size] of proportionalSizes(rollout.deployment, active))
      await resize(rollout, set, size, true);
  }
}

/**
 * Distributes added or removed replicas over the active ReplicaSets by their sizes; the largest gets the
 * rounding remainder.
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling
 */
function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): Map<ReplicaSet, number> {
  const { spec } = deployment;
  const allowed = spec.replicas > 0 ? spec.replicas + maxSurge(spec) : 0;
  const toAdd = allowed - desiredIn(active);
  const inOrder = active.toSorted(
    (a, b) => b.spec.replicas - a.spec.replicas || (toAdd > 0 ? -1 : 1) * byCreation(a, b),
  );
  const sizes = new Map<ReplicaSet, number>();
  let left = toAdd;
  for (const set of inOrder) {
    const share = left === 0 ? 0 : shareOf(deployment, set);
    const added = toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
    sizes.set(set, set.spec.replicas + added);
    left -= added;
  }
  const [largest] = inOrder;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + left));
  return sizes;
}

function shareOf({ spec, status }: Deployment, set: ReplicaSet): number {
  if (spec.replicas === 0) return -set.spec.replicas;
  const before = countAt(set, MAX_REPLICAS) ?? status.replicas ?? 0;
  if (before === 0) return 0;
  return Math.round((set.spec.replicas * (spec.replicas + maxSurge(spec))) / before) - set.spec.replicas;
}

/** The new ReplicaSet has all the pods it should have, and all of them are available. */
function isSaturated({ spec }: Deployment, fresh: ReplicaSet | undefined): boolean {
  if (fresh === undefined) return false;
  return (
    fresh.spec.replicas === spec.replicas &&
    countAt(fresh, DESIRED_REPLICAS) === spec.replicas &&
    (fresh.status.availableReplicas ?? 0) === spec.replicas
  );
}

/** Whether there was anything to do. */
export async function growNew(rollout: DeploymentReconcile, sets: Sets): Promise<boolean> {
  const { fresh } = sets;
  const { spec } = rollout.deployment;
  if (fresh === undefined || fresh.spec.replicas === spec.replicas) return false;
  const present = { own: fresh.spec.replicas, all: desiredIn(everySet(sets)) };
  const size = fresh.spec.replicas > spec.replicas ? spec.replicas : newSize(spec, present);
  const resized = await resize(rollout, fresh, size);
  return resized.spec.replicas !== fresh.spec.replicas;
}

/** From the oldest ReplicaSet on, first unavailable pods, which only delay the rollout. Whether there was anything to do. */
export async function shrinkOld(rollout: DeploymentReconcile, sets: Sets): Promise<boolean> {
  const { spec } = rollout.deployment;
  const old = activeOf(sets.old).sort(byCreation);
  const fresh = sets.fresh === undefined ? [] : [sets.fresh];
  const minAvailable = spec.replicas - maxUnavailable(spec);
  const unavailable = desiredIn(fresh) - availableIn(fresh);
  const budget = desiredIn([...old, ...fresh]) - minAvailable - unavailable;
  if (budget <= 0) return false;
  const broken = ({ spec: own, status }: ReplicaSet) => own.replicas - (status.availableReplicas ?? 0);
  const healthy = await removePods(rollout, old, budget, broken);
  const surplus = availableIn([...healthy, ...fresh]) - minAvailable;
  const left = await removePods(rollout, healthy, surplus, ({ spec: own }) => own.replicas);
  return desiredIn(left) < desiredIn(old);
}

/** Removes at most so many pods of all, and of each ReplicaSet at most `limitOf` it. */
async function removePods(
  rollout: DeploymentReconcile,
  sets: readonly ReplicaSet[],
  count: number,
  limitOf: (set: ReplicaSet) => number,
): Promise<ReplicaSet[]> {
  const resized: ReplicaSet[] = [];
  let left = count;
  for (const set of sets) {
    const removed = Math.max(0, Math.min(left, limitOf(set)));
    left -= removed;
    resized.push(await resize(rollout, set, set.spec.replicas - removed));
  }
  return resized;
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

/**
 * Of the old ReplicaSets beyond the history limit, deletes those that are not in use.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (cleanupDeployment)
 */
export async function cleanUp(rollout: DeploymentReconcile, old: readonly ReplicaSet[]): Promise<void> {
  const { revisionHistoryLimit: limit = Infinity } = rollout.deployment.spec;
  const sets = old.filter((set) => !isDeleting(set)).sort(byNumber);
  for (const set of sets.slice(0, Math.max(0, sets.length - limit)))
    if (!isBusy(set)) await rollout.manager.replicaSets.delete(set);
}

function isBusy({ spec, status, metadata }: ReplicaSet): boolean {
  const isUnobserved = (metadata.generation ?? 0) > (status.observedGeneration ?? 0);
  return spec.replicas !== 0 || (status.replicas ?? 0) !== 0 || isUnobserved;
}
