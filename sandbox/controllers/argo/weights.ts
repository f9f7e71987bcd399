import { type ArgoStatus } from '@/sandbox/controllers/argo/argo-rollout';
import { weightAtStep } from '@/sandbox/controllers/argo/canary-sizes';
import { availableOf } from '@/sandbox/controllers/argo/replica-sets';
import { hashOf, type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';

type Weights = NonNullable<NonNullable<ArgoStatus['canary']>['weights']>;

/**
 * The split of requests with traffic routing; undefined without it. The routing objects are not written: only
 * the status shows the split.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/trafficrouting.go
 */
export function weightsOf({ rollout, fresh, stable, hash }: ArgoReconcile): Weights | undefined {
  const { canary } = rollout.spec.strategy;
  if (canary?.trafficRouting === undefined || stable === undefined) return undefined;
  const { status } = rollout;
  const isPromoted = hashOf(stable) === hash;
  const before = status.canary?.weights?.canary.weight ?? 0;
  const wanted = isPromoted ? 0 : weightAtStep(rollout);
  // The weight increases only when all the pods for it are available.
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
