import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { resolveAmount } from '@/lib/kube/amount';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import type { PodTemplateSpec, TemplateMeta } from '@/sandbox/controllers/objects/pod';
import type { Condition, IntOrString } from '@/sandbox/controllers/objects/workloads';
import type { Step } from '@/sandbox/engine/stepped-rollout';

export const HASH_LABEL = 'rollouts-pod-template-hash';
export const REVISION = 'rollout.argoproj.io/revision';
export const REVISION_HISTORY = 'rollout.argoproj.io/revision-history';
export const DESIRED_REPLICAS = 'rollout.argoproj.io/desired-replicas';
export const EPHEMERAL_METADATA = 'rollout.argoproj.io/ephemeral-metadata';
/**
 * When a ReplicaSet that is no longer referenced loses its pods; the only one of these names without a
 * domain.
 */
export const SCALE_DOWN_DEADLINE = 'scale-down-deadline';
/** Of the object with the template, as it was read last. */
export const WORKLOAD_GENERATION = 'rollout.argoproj.io/workload-generation';

export type PodMetadata = Pick<TemplateMeta, 'labels' | 'annotations'>;

export type AnalysisStep = { templates?: { templateName: string }[]; args?: JsonObject[] };

/** One of these; a step of any other kind is passed over. */
export type StepSpec = {
  setWeight?: number;
  /** Without a duration, until a user promotes it. */
  pause?: { duration?: IntOrString };
  analysis?: AnalysisStep;
};

type CanaryStrategy = {
  steps?: StepSpec[];
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
  canaryMetadata?: PodMetadata;
  stableMetadata?: PodMetadata;
};

export type BlueGreenStrategy = {
  activeService: string;
  previewService?: string;
  autoPromotionEnabled?: boolean;
  autoPromotionSeconds?: number;
  /** Of the former pods after the switch, and of the new ones after an abort. */
  scaleDownDelaySeconds?: number;
  abortScaleDownDelaySeconds?: number;
};

export type ArgoSpec = {
  replicas: number;
  selector: JsonObject;
  template: PodTemplateSpec;
  /** The object that has the template instead of this one. */
  workloadRef?: { apiVersion: string; kind: string; name: string; scaleDown?: string };
  minReadySeconds?: number;
  paused?: boolean;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
  restartAt?: string;
  rollbackWindow?: { revisions?: number };
  strategy: { canary?: CanaryStrategy; blueGreen?: BlueGreenStrategy };
};

export type PauseReason = 'CanaryPauseStep' | 'BlueGreenPause' | 'InconclusiveAnalysisRun';

export type ArgoStatus = {
  observedGeneration?: string;
  workloadObservedGeneration?: string;
  phase?: string;
  message?: string;
  currentPodHash?: string;
  stableRS?: string;
  currentStepIndex?: number;
  pauseConditions?: { reason: PauseReason; startTime: string }[];
  /** Stays when a user removes the conditions, which is how a pause ends. */
  controllerPause?: boolean;
  abort?: boolean;
  abortedAt?: string;
  promoteFull?: boolean;
  restartedAt?: string;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  HPAReplicas?: number;
  selector?: string;
  conditions?: Condition[];
  canary?: { currentStepAnalysisRunStatus?: { name: string; status: string; message?: string } };
  blueGreen?: { activeSelector?: string; previewSelector?: string };
};

/** https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/v1alpha1/types.go */
export interface ArgoResource extends KubeObject {
  spec: ArgoSpec;
  status: ArgoStatus;
}

/** https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/v1alpha1/analysis_types.go */
export interface AnalysisRun extends KubeObject {
  status: { phase?: string; message?: string; startedAt?: string; metricResults?: JsonObject[] };
}

export function stepsOf({ strategy }: ArgoSpec): readonly StepSpec[] {
  return strategy.canary?.steps ?? [];
}

export function planOf({ setWeight, pause, analysis }: StepSpec): Step {
  if (setWeight !== undefined) return { stages: ['size'] };
  if (analysis !== undefined) return { stages: ['analysis'] };
  if (pause === undefined) return { stages: [] };
  const seconds = secondsOf(pause.duration);
  return { stages: ['pause'], pauseMs: seconds === undefined ? undefined : seconds * 1000 };
}

/** How many pods more than desired there may be, and how many fewer. */
export function leewayOf({ replicas, strategy }: ArgoSpec): { surge: number; unavailable: number } {
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy.canary ?? {};
  const surge = resolveAmount(maxSurge, replicas, Math.ceil);
  const unavailable = Math.min(replicas, resolveAmount(maxUnavailable, replicas, Math.floor));
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

const UNIT_SECONDS = { ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Of a number, the text of one, or a duration as Go writes it; undefined for none, and for an invalid one. */
export function secondsOf(duration: IntOrString | undefined): number | undefined {
  if (typeof duration !== 'string') return duration;
  if (/^\d+$/.test(duration)) return Number(duration);
  if (!/^(\d+(\.\d+)?(ms|[smh]))+$/.test(duration)) return undefined;
  const parts = duration.matchAll(/(\d+(?:\.\d+)?)(ms|[smh])/g);
  return sumOf(parts, ([, count, unit]) => Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS]);
}
