import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Condition, type IntOrString } from '@/sandbox/controllers/objects/workloads';

export type WorkloadRef = { apiVersion: string; kind: string; name: string };

export type KruiseStep = {
  traffic?: string;
  matches?: JsonObject[];
  replicas?: IntOrString;
  pause?: { duration?: number };
};

export type TrafficRouting = {
  service: string;
  gracePeriodSeconds?: number;
  ingress?: { name: string; classType?: string };
  gateway?: { httpRouteName?: string };
};

/** The fields of both strategies. */
export type Plan = {
  steps: KruiseStep[];
  trafficRoutings?: TrafficRouting[];
  failureThreshold?: IntOrString;
  enableExtraWorkloadForCanary?: boolean;
  patchPodTemplateMetadata?: JsonObject;
  disableGenerateCanaryService?: boolean;
};

export type RolloutSpec = {
  workloadRef: WorkloadRef;
  disabled?: boolean;
  strategy: { paused?: boolean; canary?: Plan; blueGreen?: Plan };
};

export type RolloutStatus = {
  observedGeneration?: number;
  phase?: string;
  message?: string;
  conditions?: Condition[];
  currentStepIndex?: number;
  currentStepState?: string;
  canaryStatus?: JsonObject;
  blueGreenStatus?: JsonObject;
};

/** https://github.com/openkruise/rollouts/blob/master/api/v1beta1/rollout_types.go */
export interface KruiseRollout extends KubeObject {
  spec: RolloutSpec;
  status: RolloutStatus;
}

export type Style = 'Canary' | 'Partition' | 'BlueGreen';

export const ROLLOUT_FINALIZER = 'rollouts.kruise.io/rollout';
export const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
export const STABLE_REVISION = 'rollouts.kruise.io/stable-revision';
export const WORKLOAD_TYPE = 'rollouts.kruise.io/workload-type';
export const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';
export const BATCH_ID = 'rollouts.kruise.io/rollout-batch-id';
export const CANARY_DEPLOYMENT = 'rollouts.kruise.io/canary-deployment';
export const STRATEGY_HASH = 'rollouts.kruise.io/hash';
const ROLLING_STYLE = 'rollouts.kruise.io/rolling-style';
export const ROLLBACK_IN_BATCH = 'rollouts.kruise.io/rollback-in-batch';

export function styleOf({ strategy, workloadRef }: RolloutSpec): Style {
  if (strategy.blueGreen !== undefined) return 'BlueGreen';
  const isDeployment = workloadRef.kind === 'Deployment' && workloadRef.apiVersion.startsWith('apps/');
  return strategy.canary?.enableExtraWorkloadForCanary === true && isDeployment ? 'Canary' : 'Partition';
}

/** As in v1beta1. A server without conversion stores a Rollout as it was written, in any version. */
export function inBeta(rollout: KruiseRollout): KruiseRollout {
  const { workloadRef, objectRef, strategy, ...rest } = rollout.spec as AlphaSpec;
  if (workloadRef !== undefined || objectRef?.workloadRef === undefined) return rollout;
  const { canary, ...others } = strategy;
  const spec: RolloutSpec = {
    ...rest,
    workloadRef: objectRef.workloadRef,
    strategy: {
      ...others,
      ...(canary !== undefined && {
        canary: {
          ...canary,
          enableExtraWorkloadForCanary: isCanary(rollout, objectRef.workloadRef),
          steps: canary.steps.map(stepInBeta),
        },
      }),
    },
  };
  return { ...rollout, spec };
}

type AlphaStep = KruiseStep & { weight?: number };
type AlphaSpec = {
  disabled?: boolean;
  workloadRef?: WorkloadRef;
  objectRef?: { workloadRef?: WorkloadRef };
  strategy: { paused?: boolean; canary?: Plan & { steps: AlphaStep[] } };
};

/** Without the annotation a Deployment gets a separate canary Deployment. */
function isCanary({ metadata }: KruiseRollout, { kind }: WorkloadRef): boolean {
  const style = metadata.annotations?.[ROLLING_STYLE] ?? '';
  return style === '' ? kind === 'Deployment' : style.toLowerCase() === 'canary';
}

function stepInBeta({ weight, ...step }: AlphaStep): KruiseStep {
  if (weight === undefined) return step;
  return { replicas: `${weight}%`, ...step, traffic: `${weight}%` };
}

/** A Rollout without any steps has none to go through. */
export function planOf({ strategy }: RolloutSpec): Plan {
  return strategy.blueGreen ?? strategy.canary ?? { steps: [] };
}

/** The number of replicas of a number or percentage; percentages round up. */
export function sizeOf(part: IntOrString | undefined, replicas: number): number {
  if (typeof part === 'number') return Math.min(part, replicas);
  const percent = Number.parseFloat(part ?? '100%');
  return Math.min(replicas, Math.ceil((percent * replicas) / 100));
}

/** -1 after the last. */
export function stepAfter(index: number, count: number): number {
  return index < count ? index + 1 : -1;
}
