import type { KubeObject } from '@/lib/kube/object';
import type { Condition, IntOrString } from '@/sandbox/controllers/objects/workloads';

export type CanaryStep = { traffic?: string; replicas?: IntOrString; pause?: { duration?: number } };

export type RoutingSpec = {
  service: string;
  gracePeriodSeconds?: number;
  ingress?: { name: string };
  gateway?: { httpRouteName?: string };
};

/** The fields of both strategies. */
type StepPlan = {
  steps: CanaryStep[];
  trafficRoutings?: RoutingSpec[];
  enableExtraWorkloadForCanary?: boolean;
};

export type KruiseSpec = {
  workloadRef: { apiVersion: string; kind: string; name: string };
  disabled?: boolean;
  strategy: { paused?: boolean; canary?: StepPlan; blueGreen?: StepPlan };
};

type KruiseStatus = {
  observedGeneration?: number;
  phase?: string;
  message?: string;
  conditions?: Condition[];
};

/** https://github.com/openkruise/rollouts/blob/master/api/v1beta1/rollout_types.go */
export interface KruiseRollout extends KubeObject {
  spec: KruiseSpec;
  status: KruiseStatus;
}

export type Style = 'Canary' | 'Partition' | 'BlueGreen';

export const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
export const STABLE_REVISION = 'rollouts.kruise.io/stable-revision';
export const WORKLOAD_TYPE = 'rollouts.kruise.io/workload-type';
export const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';
export const BATCH_ID = 'rollouts.kruise.io/rollout-batch-id';
export const CANARY_DEPLOYMENT = 'rollouts.kruise.io/canary-deployment';

const ROLLBACK_IN_BATCH = 'rollouts.kruise.io/rollback-in-batch';

export function styleOf({ strategy, workloadRef }: KruiseSpec): Style {
  if (strategy.blueGreen !== undefined) return 'BlueGreen';
  const isCanary = strategy.canary?.enableExtraWorkloadForCanary === true;
  return isCanary && workloadRef.kind === 'Deployment' ? 'Canary' : 'Partition';
}

/** A Rollout without any steps has none to go through. */
export function planOf({ strategy }: KruiseSpec): StepPlan {
  return strategy.blueGreen ?? strategy.canary ?? { steps: [] };
}

/** Only of kinds that have a partition, and only where no traffic is routed. */
export function rollsBackInBatches({ metadata, spec }: KruiseRollout): boolean {
  const isRouted = (planOf(spec).trafficRoutings ?? []).length > 0;
  return (
    metadata.annotations?.[ROLLBACK_IN_BATCH] === 'true' &&
    !isRouted &&
    spec.workloadRef.kind !== 'Deployment'
  );
}

/** The number of replicas of a number or percentage; percentages round up. */
export function sizeOf(part: IntOrString | undefined, replicas: number): number {
  if (typeof part === 'number') return Math.min(part, replicas);
  const percent = Number.parseFloat(part ?? '100%');
  return Math.min(replicas, Math.ceil((percent * replicas) / 100));
}
