import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { PodTemplateSpec } from '@/sandbox/controllers/objects/pod';

/** A number, or a percentage of another. */
export type IntOrString = number | string;

export type Condition = {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
};

export type DeploymentSpec = {
  replicas: number;
  paused?: boolean;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
  selector: JsonObject;
  strategy: {
    type: string;
    rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString };
  };
  template: PodTemplateSpec;
};

export type DeploymentStatus = {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  collisionCount?: number;
  conditions?: Condition[];
};

export interface Deployment extends KubeObject {
  spec: DeploymentSpec;
  status: DeploymentStatus;
}

type ReplicaSetSpec = {
  replicas: number;
  minReadySeconds?: number;
  selector: JsonObject;
  template: PodTemplateSpec;
};

export type ReplicaSetStatus = {
  observedGeneration?: number;
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  conditions?: Condition[];
};

export interface ReplicaSet extends KubeObject {
  spec: ReplicaSetSpec;
  status: ReplicaSetStatus;
}

export type ClaimTemplate = {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: JsonObject;
};

export type StatefulSetSpec = {
  replicas: number;
  minReadySeconds?: number;
  revisionHistoryLimit: number;
  podManagementPolicy?: string;
  serviceName?: string;
  ordinals?: { start?: number };
  selector: JsonObject;
  updateStrategy: { type: string; rollingUpdate?: { partition?: number } };
  volumeClaimTemplates?: ClaimTemplate[];
  template: PodTemplateSpec;
};

export type StatefulSetStatus = {
  observedGeneration?: number;
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
};

export interface StatefulSet extends KubeObject {
  spec: StatefulSetSpec;
  status: StatefulSetStatus;
}

export type DaemonSetSpec = {
  minReadySeconds?: number;
  revisionHistoryLimit: number;
  selector: JsonObject;
  updateStrategy: {
    type: string;
    rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString };
  };
  template: PodTemplateSpec;
};

export type DaemonSetStatus = {
  observedGeneration?: number;
  desiredNumberScheduled?: number;
  currentNumberScheduled?: number;
  numberMisscheduled?: number;
  numberReady?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
};

export interface DaemonSet extends KubeObject {
  spec: DaemonSetSpec;
  status: DaemonSetStatus;
}

export interface ControllerRevision extends KubeObject {
  data: JsonObject;
  revision: number;
}
