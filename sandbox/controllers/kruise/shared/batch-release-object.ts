import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Style, type TargetRef } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type IntOrString } from '@/sandbox/controllers/objects/workloads';

export type ReleasePlan = {
  batches: { canaryReplicas: IntOrString }[];
  /** 0-based; without it the whole rest is upgraded. */
  batchPartition?: number;
  rolloutID?: string;
  rollingStyle: Style;
  finalizingPolicy?: 'WaitResume' | 'Immediate';
  enableExtraWorkloadForCanary?: boolean;
  failureThreshold?: IntOrString;
  patchPodTemplateMetadata?: JsonObject;
};

export type BatchReleaseStatus = {
  phase?: string;
  message?: string;
  observedGeneration?: number;
  observedRolloutID?: string;
  observedWorkloadReplicas?: number;
  observedReleasePlanHash?: string;
  stableRevision?: string;
  updateRevision?: string;
  canaryStatus?: {
    batchState?: string;
    /** 0-based. */
    currentBatch: number;
    batchReadyTime?: string;
    updatedReplicas?: number;
    updatedReadyReplicas?: number;
  };
};

/** https://github.com/openkruise/rollouts/blob/master/api/v1beta1/batchrelease_types.go */
export interface BatchReleaseObject extends KubeObject {
  spec: { workloadRef: TargetRef; releasePlan: ReleasePlan };
  status: BatchReleaseStatus;
}

export const BATCH_RELEASE_FINALIZER = 'rollouts.kruise.io/batch-release-finalizer';
export const CANARY_FINALIZER = 'finalizer.rollouts.kruise.io/batch-release';
export const CONTROL_INFO = 'batchrelease.rollouts.kruise.io/control-info';
