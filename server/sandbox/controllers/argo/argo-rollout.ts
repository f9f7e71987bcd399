import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { resolveAmount } from '@/lib/workloads/amount';
import { type Template, type TemplateMeta } from '@/server/sandbox/controllers/objects/pod';
import { type Condition, type IntOrString } from '@/server/sandbox/controllers/objects/workloads';

export const HASH_LABEL = 'rollouts-pod-template-hash';
export const REVISION = 'rollout.argoproj.io/revision';
export const REVISION_HISTORY = 'rollout.argoproj.io/revision-history';
export const DESIRED_REPLICAS = 'rollout.argoproj.io/desired-replicas';
export const EPHEMERAL_METADATA = 'rollout.argoproj.io/ephemeral-metadata';
/** When a ReplicaSet that nothing points to any more loses its pods; of all these names the only one without a domain. */
export const SCALE_DOWN_DEADLINE = 'scale-down-deadline';
/** Of the object that the template stands in, as it was read last. */
export const WORKLOAD_GENERATION = 'rollout.argoproj.io/workload-generation';
export const MANAGED_BY = 'argo-rollouts.argoproj.io/managed-by-rollouts';

export const COMPONENT = 'rollouts-controller';

export type PodMetadata = Pick<TemplateMeta, 'labels' | 'annotations'>;

export type AnalysisStep = { templates?: { templateName: string }[]; args?: JsonObject[] };

/** One of these; a step of any other kind is never over. */
export type Step = {
  setWeight?: number;
  /** Without a duration, until somebody promotes it. */
  pause?: { duration?: IntOrString };
  setCanaryScale?: { replicas?: number; weight?: number; matchTrafficWeight?: boolean };
  analysis?: AnalysisStep;
};

type Delays = { scaleDownDelaySeconds?: number; abortScaleDownDelaySeconds?: number };

export type CanaryStrategy = Delays & {
  steps?: Step[];
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
  stableService?: string;
  canaryService?: string;
  trafficRouting?: JsonObject;
  canaryMetadata?: PodMetadata;
  stableMetadata?: PodMetadata;
};

export type BlueGreenStrategy = Delays & {
  activeService: string;
  previewService?: string;
  autoPromotionEnabled?: boolean;
  autoPromotionSeconds?: number;
  maxUnavailable?: IntOrString;
  previewMetadata?: PodMetadata;
  activeMetadata?: PodMetadata;
};

export type RolloutSpec = {
  replicas: number;
  selector: JsonObject;
  template: Template;
  /** The object that has the template in the place of this one. */
  workloadRef?: { apiVersion: string; kind: string; name: string };
  minReadySeconds?: number;
  paused?: boolean;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
  progressDeadlineAbort?: boolean;
  restartAt?: string;
  rollbackWindow?: { revisions?: number };
  strategy: { canary?: CanaryStrategy; blueGreen?: BlueGreenStrategy };
};

export type PauseReason = 'CanaryPauseStep' | 'BlueGreenPause' | 'InconclusiveAnalysisRun';

export type WeightDestination = { weight: number; podTemplateHash?: string; serviceName?: string };

export type RolloutStatus = {
  observedGeneration?: string;
  workloadObservedGeneration?: string;
  phase?: string;
  message?: string;
  currentPodHash?: string;
  stableRS?: string;
  currentStepIndex?: number;
  currentStepHash?: string;
  pauseConditions?: { reason: PauseReason; startTime: string }[];
  controllerPause?: boolean;
  abort?: boolean;
  abortedAt?: string;
  promoteFull?: boolean;
  restartedAt?: string;
  collisionCount?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  HPAReplicas?: number;
  selector?: string;
  conditions?: Condition[];
  canary?: {
    weights?: { canary: WeightDestination; stable: WeightDestination };
    currentStepAnalysisRunStatus?: { name: string; status: string; message?: string };
  };
  blueGreen?: { activeSelector?: string; previewSelector?: string };
};

/** https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/v1alpha1/types.go */
export interface ArgoRollout extends KubeObject {
  spec: RolloutSpec;
  status: RolloutStatus;
}

export function withDefaults(rollout: ArgoRollout): ArgoRollout {
  return { ...rollout, spec: { ...rollout.spec, replicas: rollout.spec.replicas ?? 1 } };
}

export function stepsOf({ strategy }: RolloutSpec): readonly Step[] {
  return strategy.canary?.steps ?? [];
}

/** How many pods more than desired there may be, and how many fewer. */
export function leewayOf({ replicas, strategy }: RolloutSpec): { surge: number; unavailable: number } {
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy.canary ?? {};
  const surge = resolveAmount(maxSurge, replicas, Math.ceil);
  const unavailable = Math.min(replicas, resolveAmount(maxUnavailable, replicas, Math.floor));
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** How long what is no longer used keeps its pods; where nobody can come back to it, not at all. */
export function scaleDownDelayOf({ strategy }: RolloutSpec): number {
  const { canary, blueGreen } = strategy;
  if (canary !== undefined && canary.trafficRouting === undefined) return 0;
  return (blueGreen ?? canary)?.scaleDownDelaySeconds ?? 30;
}

/** Seconds after an abort; undefined for one after which the new pods stay, or go at once. */
export function abortDelayOf({ strategy }: RolloutSpec): number | undefined {
  const { canary, blueGreen } = strategy;
  if (canary !== undefined && canary.trafficRouting === undefined) return undefined;
  const seconds = (blueGreen ?? canary)?.abortScaleDownDelaySeconds ?? 30;
  return seconds === 0 ? undefined : seconds;
}

const UNIT_SECONDS = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Of a pause: a number, the text of one, or a duration as Go writes it. Undefined for none, and for what is none. */
export function secondsOf(duration: IntOrString | undefined): number | undefined {
  if (typeof duration === 'number') return duration;
  if (duration === undefined) return undefined;
  if (/^\d+$/.test(duration)) return Number(duration);
  if (!/^(\d+(\.\d+)?(ns|us|ms|[smh]))+$/.test(duration)) return undefined;
  return [...duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|[smh])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS],
    0,
  );
}

/** As events name a step. */
export function stepText({ setWeight, pause, setCanaryScale, analysis }: Step): string {
  if (setWeight !== undefined) return `setWeight: ${setWeight}`;
  if (pause !== undefined) return pause.duration === undefined ? 'pause' : `pause: ${pause.duration}`;
  if (analysis !== undefined) return 'analysis';
  if (setCanaryScale?.weight !== undefined) return `setCanaryScale{weight: ${setCanaryScale.weight}}`;
  if (setCanaryScale?.matchTrafficWeight === true) return 'setCanaryScale{matchTrafficWeight: true}';
  return setCanaryScale === undefined ? 'invalid' : `setCanaryScale{replicas: ${setCanaryScale.replicas}}`;
}
