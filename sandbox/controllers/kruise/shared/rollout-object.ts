import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Condition, type IntOrString } from '@/sandbox/controllers/objects/workloads';

export type TargetRef = { apiVersion: string; kind: string; name: string };

export type CanaryStep = {
  traffic?: string;
  matches?: JsonObject[];
  replicas?: IntOrString;
  pause?: { duration?: number };
};

export type RoutingSpec = {
  service: string;
  gracePeriodSeconds?: number;
  ingress?: { name: string; classType?: string };
  gateway?: { httpRouteName?: string };
};

/** The fields of both strategies. */
export type CanaryPlan = {
  steps: CanaryStep[];
  trafficRoutings?: RoutingSpec[];
  failureThreshold?: IntOrString;
  enableExtraWorkloadForCanary?: boolean;
  patchPodTemplateMetadata?: JsonObject;
  disableGenerateCanaryService?: boolean;
};

export type KruiseSpec = {
  workloadRef: TargetRef;
  disabled?: boolean;
  strategy: { paused?: boolean; canary?: CanaryPlan; blueGreen?: CanaryPlan };
};

export type KruiseStatus = {
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
export interface KruiseResource extends KubeObject {
  spec: KruiseSpec;
  status: KruiseStatus;
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

export function styleOf({ strategy, workloadRef }: KruiseSpec): Style {
  if (strategy.blueGreen !== undefined) return 'BlueGreen';
  const isDeployment = workloadRef.kind === 'Deployment' && workloadRef.apiVersion.startsWith('apps/');
  return strategy.canary?.enableExtraWorkloadForCanary === true && isDeployment ? 'Canary' : 'Partition';
}

/** As in v1beta1. A server without conversion stores a Rollout as it was written, in any version. */
export function inBeta(rollout: KruiseResource): KruiseResource {
  const { workloadRef, objectRef, strategy, ...rest } = rollout.spec as AlphaSpec;
  if (workloadRef !== undefined || objectRef?.workloadRef === undefined) return rollout;
  const { canary, ...others } = strategy;
  const spec: KruiseSpec = {
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

type AlphaStep = CanaryStep & { weight?: number };
type AlphaSpec = {
  disabled?: boolean;
  workloadRef?: TargetRef;
  objectRef?: { workloadRef?: TargetRef };
  strategy: { paused?: boolean; canary?: CanaryPlan & { steps: AlphaStep[] } };
};

/** Without the annotation a Deployment gets a separate canary Deployment. */
function isCanary({ metadata }: KruiseResource, { kind }: TargetRef): boolean {
  const style = metadata.annotations?.[ROLLING_STYLE] ?? '';
  return style === '' ? kind === 'Deployment' : style.toLowerCase() === 'canary';
}

function stepInBeta({ weight, ...step }: AlphaStep): CanaryStep {
  if (weight === undefined) return step;
  return { replicas: `${weight}%`, ...step, traffic: `${weight}%` };
}

/** A Rollout without any steps has none to go through. */
export function planOf({ strategy }: KruiseSpec): CanaryPlan {
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
