import { createHash } from 'node:crypto';
import { parseImage } from '@/lib/kube/image';
import { type PodBehaviour } from '@/sandbox/controllers/kubelet/behaviour';
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  type Pod,
  type PodCondition,
  type PodStatus,
} from '@/sandbox/controllers/objects/pod';
import { durationText, timeText } from '@/sandbox/controllers/objects/time';

/** The addresses of a pod and of its node. */
export interface Addresses {
  readonly hostIp: string;
  readonly podIp: string;
}

/** The state of the broken container; the others run. */
export type Culprit = Pick<ContainerStatus, 'ready' | 'state' | 'lastState' | 'restartCount'> & {
  started?: boolean;
};

const BACKOFF_FIRST_SECONDS = 10;
const BACKOFF_CAP_SECONDS = 300;

/** `name_namespace(uid)`, as the kubelet writes it. */
export function podText({ metadata }: Pod): string {
  return `${metadata.name}_${metadata.namespace ?? ''}(${metadata.uid})`;
}

/** Seconds until a container that has exited so many times is restarted. */
export function backoffSeconds(restartCount: number): number {
  return Math.min(BACKOFF_FIRST_SECONDS * 2 ** Math.min(restartCount, 10), BACKOFF_CAP_SECONDS);
}

export function culpritOf(pod: Pod, { container }: PodBehaviour): Container | undefined {
  return pod.spec.containers.find(({ name }) => name === container) ?? pod.spec.containers[0];
}

/** All containers wait to be created. */
export function creatingStatus(pod: Pod, { hostIp }: Addresses, now: number): PodStatus {
  const wait = (container: Container): ContainerStatus => ({
    ...emptyStatus(container),
    state: { waiting: { reason: 'ContainerCreating' } },
  });
  const unready = pod.spec.containers.map(({ name }) => name);
  return {
    ...pod.status,
    phase: 'Pending',
    startTime: pod.status.startTime ?? timeText(now),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    conditions: conditions(pod, { started: false, unready, now }),
    containerStatuses: pod.spec.containers.map(wait),
  };
}

/** All containers run, except the broken one. */
export function startedStatus(
  pod: Pod,
  { hostIp, podIp }: Addresses,
  culprit: { name: string; status: Culprit } | undefined,
  now: number,
): PodStatus {
  const previous = new Map((pod.status.containerStatuses ?? []).map((status) => [status.name, status]));
  const statuses = pod.spec.containers.map((container) => {
    const own = culprit?.name === container.name ? culprit.status : undefined;
    return own === undefined
      ? runningStatus(pod, container, previous.get(container.name), now)
      : withIds(pod, { ...emptyStatus(container), ...own, started: own.started ?? false }, container);
  });
  const init = (pod.spec.initContainers ?? []).map((container) =>
    initStatus(pod, container, pod.status.initContainerStatuses, now),
  );
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const isPulling =
    culprit?.status.state.waiting !== undefined && culprit.status.lastState.terminated === undefined;
  return {
    ...pod.status,
    phase: isPulling ? 'Pending' : 'Running',
    startTime: pod.status.startTime ?? timeText(now),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    conditions: conditions(pod, { started: true, unready, now }),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: statuses,
  };
}

/** The state of a container that exited and waits for its restart. */
export function crashedStatus(
  pod: Pod,
  container: Container,
  { exit }: PodBehaviour,
  startedAt: string,
  restartCount: number,
  now: number,
): Culprit {
  const pause = durationText(backoffSeconds(restartCount));
  const message = `back-off ${pause} restarting failed container=${container.name} pod=${podText(pod)}`;
  const terminated = {
    exitCode: exit?.code ?? 1,
    reason: exit?.reason ?? 'Error',
    ...(exit?.message === undefined ? {} : { message: exit.message }),
    startedAt,
    finishedAt: timeText(now),
    containerID: containerId(pod, container, restartCount),
  };
  return {
    ready: false,
    restartCount,
    state: { waiting: { reason: 'CrashLoopBackOff', message } },
    lastState: { terminated },
  };
}

export function pullFailure({ image = '' }: Container): { reason: string; message: string } {
  return {
    reason: 'ImagePullBackOff',
    message:
      `Back-off pulling image "${image}": ErrImagePull: rpc error: code = NotFound desc = ` +
      `failed to pull and unpack image "${image}": not found`,
  };
}

export function runningState(now: number): ContainerState {
  return { running: { startedAt: timeText(now) } };
}

function runningStatus(
  pod: Pod,
  container: Container,
  previous: ContainerStatus | undefined,
  now: number,
): ContainerStatus {
  const isChanged = previous !== undefined && previous.image !== (container.image ?? '');
  const isNew = isChanged || previous?.state.running === undefined;
  const state = isNew ? runningState(now) : previous.state;
  const { lastState = {} } = previous ?? {};
  const restartCount = (previous?.restartCount ?? 0) + (isChanged ? 1 : 0);
  return withIds(
    pod,
    { ...emptyStatus(container), ready: true, started: true, restartCount, state, lastState },
    container,
  );
}

/** Init containers have completed, except sidecars, which keep running. */
function initStatus(
  pod: Pod,
  container: Container,
  previous: readonly ContainerStatus[] | undefined,
  now: number,
): ContainerStatus {
  const known = previous?.find(({ name }) => name === container.name);
  if (known !== undefined) return known;
  const time = timeText(now);
  const isSidecar = container.restartPolicy === 'Always';
  const state: ContainerState = isSidecar
    ? { running: { startedAt: time } }
    : { terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time } };
  return withIds(pod, { ...emptyStatus(container), ready: true, started: isSidecar, state }, container);
}

function emptyStatus({ name, image = '' }: Container): ContainerStatus {
  return {
    name,
    image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: {},
    lastState: {},
  };
}

/** A container that has never run has no id, and an image that was never pulled has none either. */
function withIds(pod: Pod, status: ContainerStatus, container: Container): ContainerStatus {
  const hasRun = status.state.waiting === undefined || status.lastState.terminated !== undefined;
  if (!hasRun) return status;
  return {
    ...status,
    imageID: imageId(status.image),
    containerID: containerId(pod, container, status.restartCount),
  };
}

function imageId(image: string): string {
  const reference = parseImage(image);
  const digest = reference?.digest ?? `sha256:${sha256(image)}`;
  const registry = reference?.registry === undefined ? '' : `${reference.registry}/`;
  return `${registry}${reference?.repository ?? image}@${digest}`;
}

function containerId({ metadata }: Pod, { name }: Container, restartCount: number): string {
  return `containerd://${sha256(`${metadata.uid} ${name} ${restartCount}`)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** In the kubelet's order; conditions of others, such as readiness gates, stay in front. */
function conditions(
  pod: Pod,
  { started, unready, now }: { started: boolean; unready: readonly string[]; now: number },
): PodCondition[] {
  const verdict = (type: string, trouble?: { reason?: string; message?: string }): PodCondition => {
    const status = trouble === undefined ? 'True' : 'False';
    const present = pod.status.conditions?.find((condition) => condition.type === type);
    const since = present?.status === status ? present.lastTransitionTime : timeText(now);
    return {
      type,
      status,
      ...trouble,
      lastProbeTime: null,
      ...(since === undefined ? {} : { lastTransitionTime: since }),
    };
  };
  const containers =
    unready.length === 0
      ? undefined
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const own = [
    verdict('PodReadyToStartContainers', started ? undefined : {}),
    verdict('Initialized'),
    verdict('Ready', containers ?? closedGates(pod)),
    verdict('ContainersReady', containers),
    verdict('PodScheduled'),
  ];
  const types = new Set(own.map(({ type }) => type));
  const others = (pod.status.conditions ?? []).filter(({ type }) => !types.has(type));
  return [...others, ...own];
}

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-gate */
function closedGates({ spec, status }: Pod): { reason: string; message: string } | undefined {
  const messages = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = status.conditions?.find(({ type }) => type === conditionType);
    if (condition?.status === 'True') return [];
    return condition === undefined
      ? [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  return messages.length === 0
    ? undefined
    : { reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}
