import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';

export type RolloutHistorySpec = {
  rollout: { name: string; rolloutID: string; data?: JsonObject };
  workload: { apiVersion?: string; kind?: string; name: string; data?: JsonObject };
  service: { name: string; data?: JsonObject };
  trafficRouting: {
    ingress?: { name: string; data?: JsonObject };
    httpRoute?: { name: string; data?: JsonObject };
  };
};

export type RecordedPod = { name?: string; ip?: string; nodeName?: string };

type RolloutHistoryStatus = {
  phase?: string;
  canarySteps?: { canaryStepIndex: number; pods?: RecordedPod[] }[];
};

/** https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/rollouthistory_types.go */
export interface RolloutHistoryObject extends KubeObject {
  spec: RolloutHistorySpec;
  status: RolloutHistoryStatus;
}

export const HISTORY_ROLLOUT = 'rollouts.kruise.io/rollout-name';

/** The content of a new record, unchanged until its rollout ends. */
export const EMPTY_SPEC: RolloutHistorySpec = {
  rollout: { name: '', rolloutID: '' },
  service: { name: '' },
  trafficRouting: {},
  workload: { name: '' },
};
