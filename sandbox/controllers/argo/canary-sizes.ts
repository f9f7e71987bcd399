import { type ArgoStatus, leewayOf, type StepSpec, stepsOf } from '@/sandbox/controllers/argo/argo-rollout';
import { availableOf, abortingSize, keptUntilDeadline } from '@/sandbox/controllers/argo/replica-sets';
import {
  type CanaryInput,
  type CanarySizes,
  goalOf,
  nextSizes,
  type SetSize,
} from '@/sandbox/controllers/argo/sizes';
import { type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/** Percent of the requests that the current step sends to the new pods. */
export function weightAtStep({ spec, status }: ArgoReconcile['rollout']): number {
  if (status.promoteFull === true || status.currentPodHash === status.stableRS) return 100;
  if (status.abort === true) return 0;
  const { step, before } = walk(spec, status);
  return step === undefined ? 100 : (before.find(({ setWeight }) => setWeight !== undefined)?.setWeight ?? 0);
}

/** The sizes that the current step leads to. */
export function sizesAtStep(reconcile: ArgoReconcile): CanarySizes {
  return isRouted(reconcile) ? routedSizes(reconcile) : goalOf(inputOf(reconcile));
}

/**
 * One change of sizes at a time: the stable ReplicaSet, the new one, or those in between. Returns whether
 * there was one.
 */
export async function resizeCanary(reconcile: ArgoReconcile): Promise<boolean> {
  const { fresh, stable } = reconcile;
  const sizes = isRouted(reconcile) ? routedSizes(reconcile) : nextSizes(inputOf(reconcile));
  const hasBoth = stable !== undefined && stable !== fresh;
  if (hasBoth && (await reconcile.scale(stable, sizes.stable))) return true;
  if (fresh !== undefined) {
    const size = await abortingSize(reconcile, fresh, sizes.fresh);
    if (size !== undefined && (await reconcile.scale(fresh, size, isRouted(reconcile)))) return true;
  }
  return shrinkOthers(reconcile);
}

function isRouted({ rollout }: ArgoReconcile): boolean {
  return rollout.spec.strategy.canary?.trafficRouting !== undefined;
}

/** With traffic routing, all stable pods stay, and the step sets the number of new ones. */
function routedSizes({ rollout, fresh, stable }: ArgoReconcile): CanarySizes {
  const { replicas } = rollout.spec;
  if (stable === undefined || stable === fresh) return { fresh: replicas, stable: 0 };
  const scale = rollout.status.abort === true ? undefined : ownScale(rollout);
  const weight = scale?.weight ?? weightAtStep(rollout);
  return { fresh: scale?.replicas ?? Math.ceil((replicas * weight) / 100), stable: replicas };
}

/** The last `setCanaryScale` so far, unless it returned the size to the weight. */
function ownScale({ spec, status }: ArgoReconcile['rollout']): StepSpec['setCanaryScale'] {
  if (status.promoteFull === true || status.currentPodHash === status.stableRS) return undefined;
  const { step, before } = walk(spec, status);
  const scale = before.find(({ setCanaryScale }) => setCanaryScale !== undefined)?.setCanaryScale;
  return step === undefined || scale?.matchTrafficWeight === true ? undefined : scale;
}

/** The current step and all before it, the last one first. */
function walk(spec: ArgoReconcile['rollout']['spec'], { currentStepIndex = 0 }: ArgoStatus) {
  const steps = stepsOf(spec);
  return { step: steps[currentStepIndex], before: steps.slice(0, currentStepIndex + 1).toReversed() };
}

function inputOf({ rollout, fresh, stable, others }: ArgoReconcile): CanaryInput {
  return {
    replicas: rollout.spec.replicas,
    weight: weightAtStep(rollout),
    ...leewayOf(rollout.spec),
    fresh: sizeOf(fresh),
    stable: stable === undefined || stable === fresh ? undefined : sizeOf(stable),
    others: others.map(sizeOf),
  };
}

function sizeOf(set: ReplicaSet | undefined): SetSize {
  return { wanted: set?.spec.replicas ?? 0, available: availableOf(set) };
}

/** Newest first, as far as enough pods stay available; unavailable ones are deleted in any case. */
async function shrinkOthers(reconcile: ArgoReconcile): Promise<boolean> {
  const { rollout } = reconcile;
  const { replicas } = rollout.spec;
  let spare = sumOf(reconcile.sets, availableOf) - (replicas - leewayOf(rollout.spec).unavailable);
  const isPromoted = rollout.status.stableRS === rollout.status.currentPodHash;
  let hasScaled = false;
  for (const set of reconcile.others.toReversed()) {
    if (set.spec.replicas === 0) continue;
    const serving = Math.min(set.spec.replicas, availableOf(set));
    const left = isRouted(reconcile)
      ? isPromoted
        ? await keptUntilDeadline(reconcile, set)
        : 0
      : serving - Math.min(serving, Math.max(0, spare));
    spare -= serving - Math.min(serving, left);
    const present = reconcile.sets.find(({ metadata }) => metadata.uid === set.metadata.uid) ?? set;
    hasScaled = (await reconcile.scale(present, left)) || hasScaled;
  }
  return hasScaled;
}
