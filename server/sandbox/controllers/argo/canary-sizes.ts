import {
  type RolloutStatus,
  leewayOf,
  type Step,
  stepsOf,
} from '@/server/sandbox/controllers/argo/argo-rollout';
import { availableOf, abortingSize, keptUntilDeadline } from '@/server/sandbox/controllers/argo/replica-sets';
import {
  type CanaryInput,
  type CanarySizes,
  goalOf,
  nextSizes,
  type SetSize,
} from '@/server/sandbox/controllers/argo/sizes';
import { type Turn } from '@/server/sandbox/controllers/argo/turn';
import { sumOf } from '@/server/sandbox/controllers/objects/amounts';
import { type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';

/** Percent of the requests that the present step gives to the new pods. */
export function weightAtStep({ spec, status }: Turn['rollout']): number {
  if (status.promoteFull === true || status.currentPodHash === status.stableRS) return 100;
  if (status.abort === true) return 0;
  const { step, before } = walk(spec, status);
  return step === undefined ? 100 : (before.find(({ setWeight }) => setWeight !== undefined)?.setWeight ?? 0);
}

/** Where the present step leads. */
export function sizesAtStep(turn: Turn): CanarySizes {
  return isRouted(turn) ? routedSizes(turn) : goalOf(inputOf(turn));
}

/** One change of sizes at a time: the stable ReplicaSet, the new one, or those in between. Says whether there was one. */
export async function resizeCanary(turn: Turn): Promise<boolean> {
  const { fresh, stable } = turn;
  const sizes = isRouted(turn) ? routedSizes(turn) : nextSizes(inputOf(turn));
  const hasBoth = stable !== undefined && stable !== fresh;
  if (hasBoth && (await turn.scale(stable, sizes.stable))) return true;
  if (fresh !== undefined) {
    const size = await abortingSize(turn, fresh, sizes.fresh);
    if (size !== undefined && (await turn.scale(fresh, size, isRouted(turn)))) return true;
  }
  return shrinkOthers(turn);
}

function isRouted({ rollout }: Turn): boolean {
  return rollout.spec.strategy.canary?.trafficRouting !== undefined;
}

/** With something that routes requests, the stable pods all stay, and the new ones are as many as the step says. */
function routedSizes({ rollout, fresh, stable }: Turn): CanarySizes {
  const { replicas } = rollout.spec;
  if (stable === undefined || stable === fresh) return { fresh: replicas, stable: 0 };
  const scale = rollout.status.abort === true ? undefined : ownScale(rollout);
  const weight = scale?.weight ?? weightAtStep(rollout);
  return { fresh: scale?.replicas ?? Math.ceil((replicas * weight) / 100), stable: replicas };
}

/** What the last `setCanaryScale` so far says, unless it gave the size back to the weight. */
function ownScale({ spec, status }: Turn['rollout']): Step['setCanaryScale'] {
  if (status.promoteFull === true || status.currentPodHash === status.stableRS) return undefined;
  const { step, before } = walk(spec, status);
  const scale = before.find(({ setCanaryScale }) => setCanaryScale !== undefined)?.setCanaryScale;
  return step === undefined || scale?.matchTrafficWeight === true ? undefined : scale;
}

/** The present step, and all up to it, the last one first. */
function walk(spec: Turn['rollout']['spec'], { currentStepIndex = 0 }: RolloutStatus) {
  const steps = stepsOf(spec);
  return { step: steps[currentStepIndex], before: steps.slice(0, currentStepIndex + 1).toReversed() };
}

function inputOf({ rollout, fresh, stable, others }: Turn): CanaryInput {
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

/** Newest first, as far as enough pods keep serving; those that don't serve go in any case. */
async function shrinkOthers(turn: Turn): Promise<boolean> {
  const { rollout } = turn;
  const { replicas } = rollout.spec;
  let spare = sumOf(turn.sets, availableOf) - (replicas - leewayOf(rollout.spec).unavailable);
  const isPromoted = rollout.status.stableRS === rollout.status.currentPodHash;
  let hasScaled = false;
  for (const set of turn.others.toReversed()) {
    if (set.spec.replicas === 0) continue;
    const serving = Math.min(set.spec.replicas, availableOf(set));
    const left = isRouted(turn)
      ? isPromoted
        ? await keptUntilDeadline(turn, set)
        : 0
      : serving - Math.min(serving, Math.max(0, spare));
    spare -= serving - Math.min(serving, left);
    const present = turn.sets.find(({ metadata }) => metadata.uid === set.metadata.uid) ?? set;
    hasScaled = (await turn.scale(present, left)) || hasScaled;
  }
  return hasScaled;
}
