import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { timeOf } from '@/sandbox/controllers/objects/time';

export type Container = {
  name: string;
  image?: string;
  restartPolicy?: string;
  resources?: { requests?: Record<string, number | string> };
};

type Volume = { name: string; persistentVolumeClaim?: { claimName: string; readOnly?: boolean } };

/** The fields of a pod's spec that controllers read; all others pass through. */
export type PodSpec = {
  nodeName?: string;
  schedulerName?: string;
  hostname?: string;
  subdomain?: string;
  hostNetwork?: boolean;
  restartPolicy?: string;
  nodeSelector?: Record<string, string>;
  affinity?: JsonObject;
  tolerations?: JsonObject[];
  readinessGates?: { conditionType: string }[];
  schedulingGates?: JsonObject[];
  overhead?: Record<string, number | string>;
  initContainers?: Container[];
  containers: Container[];
  volumes?: Volume[];
};

export type TemplateMeta = {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
};

/** A pod template as the API server returned it. */
export type PodTemplateSpec = { metadata?: TemplateMeta; spec: PodSpec };

export type PodCondition = {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string;
};

export type ContainerState = {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: {
    exitCode: number;
    reason: string;
    message?: string;
    startedAt: string;
    finishedAt: string;
    containerID?: string;
  };
};

export type ContainerStatus = {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
};

export type PodStatus = {
  phase?: string;
  startTime?: string;
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  qosClass?: string;
  reason?: string;
  message?: string;
  conditions?: PodCondition[];
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
};

export interface Pod extends KubeObject {
  spec: PodSpec;
  status: PodStatus;
}

export function isTerminal({ status }: Pick<Pod, 'status'>): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

export function isDeleting({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Counts as one of its owner's replicas. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isDeleting(pod);
}

export function isReady(pod: Pick<Pod, 'status'>): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** Milliseconds since the epoch at which it became ready; undefined while it is not. */
export function readySince(pod: Pod): number | undefined {
  const condition = podCondition(pod, 'Ready');
  return condition?.status === 'True' ? timeOf(condition.lastTransitionTime) : undefined;
}

/**
 * Ready for long enough.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/api/v1/pod/util.go (IsPodAvailable)
 */
export function isAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  if (!isReady(pod)) return false;
  if (!minReadySeconds) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the next of the pods becomes available without a change; undefined if none does. */
export function nextAvailableIn(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  now: number,
): number | undefined {
  if (!minReadySeconds) return undefined;
  const waits = pods.flatMap((pod) => {
    const since = readySince(pod);
    return since === undefined ? [] : [since + minReadySeconds * 1000 - now];
  });
  const ahead = waits.filter((ms) => ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

export function podCondition({ status }: Pick<Pod, 'status'>, type: string): PodCondition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}
