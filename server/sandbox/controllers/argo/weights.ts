import { type RolloutStatus } from '@/server/sandbox/controllers/argo/argo-rollout';
import { weightAtStep } from '@/server/sandbox/controllers/argo/canary-sizes';
import { availableOf } from '@/server/sandbox/controllers/argo/replica-sets';
import { hashOf, type Turn } from '@/server/sandbox/controllers/argo/turn';

type Weights = NonNullable<NonNullable<RolloutStatus['canary']>['weights']>;

/**
 * How requests are shared out where something routes them; undefined where nothing does. The objects that route are not
 * written: what the status says is all there is of it here.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/trafficrouting.go
 */
export function weightsOf({ rollout, fresh, stable, hash }: Turn): Weights | undefined {
  const { canary } = rollout.spec.strategy;
  if (canary?.trafficRouting === undefined || stable === undefined) return undefined;
  const { status } = rollout;
  const isPromoted = hashOf(stable) === hash;
  const before = status.canary?.weights?.canary.weight ?? 0;
  const wanted = isPromoted ? 0 : weightAtStep(rollout);
  // More requests only where all the pods are that are to take them.
  const isReady = fresh !== undefined && availableOf(fresh) > 0 && availableOf(fresh) === fresh.spec.replicas;
  const weight = wanted > before && !isReady ? before : wanted;
  return {
    canary: {
      weight,
      podTemplateHash: hash,
      ...(canary.canaryService && { serviceName: canary.canaryService }),
    },
    stable: {
      weight: 100 - weight,
      podTemplateHash: hashOf(stable),
      ...(canary.stableService && { serviceName: canary.stableService }),
    },
  };
}
