import { createHash } from 'node:crypto';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '@/sandbox/controllers/objects/pod';
import { durationText, timeText } from '@/sandbox/controllers/objects/time';

/** The addresses of a pod and of its node. */
export interface Addresses {
  readonly hostIp: string;
  readonly podIp: string;
}

/** The state of the broken container; the others run. */
export type Culprit = Pick<
  ContainerStatus,
  'name' | 'ready' | 'started' | 'state' | 'lastState' | 'restartCount'
>;

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

/** All containers wait to be created. */
export function creatingStatus(pod: Pod, { hostIp }: Addresses, now: number): PodStatus {
  const unready = pod.spec.containers.map(({ name }) => name);
  const state = { waiting: { reason: 'ContainerCreating' } };
  return {
    ...pod.status,
    phase: 'Pending',
    startTime: pod.status.startTime ?? timeText(now),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    conditions: conditions(pod, { started: false, unready, now }),
    containerStatuses: pod.spec.containers.map((container) => ({ ...emptyStatus(container), state })),
  };
}

/** All containers run, except the broken one. */
export function startedStatus(
  pod: Pod,
  { hostIp, podIp }: Addresses,
  culprit: Culprit | undefined,
  now: number,
): PodStatus {
  const statuses = pod.spec.containers.map((container) =>
    culprit?.name === container.name
      ? withIds(pod, { ...emptyStatus(container), ...culprit })
      : runningStatus(pod, container, now),
  );
  const init = pod.spec.initContainers?.map((container) => initStatus(pod, container, now));
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const isPulling = culprit?.state.waiting !== undefined && culprit.lastState.terminated === undefined;
  return {
    ...pod.status,
    phase: isPulling ? 'Pending' : 'Running',
    startTime: pod.status.startTime ?? timeText(now),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    conditions: conditions(pod, { started: true, unready, now }),
    initContainerStatuses: init,
    containerStatuses: statuses,
  };
}

/** The state of a container that exited and waits for its restart. */
export function crashedStatus(
  pod: Pod,
  { name }: Container,
  startedAt: string,
  restartCount: number,
  now: number,
): Culprit {
  const pause = durationText(backoffSeconds(restartCount));
  const message = `back-off ${pause} restarting failed container=${name} pod=${podText(pod)}`;
  const terminated = {
    exitCode: 1,
    reason: 'Error',
    startedAt,
    finishedAt: timeText(now),
    containerID: containerId(pod, name, restartCount),
  };
  return {
    name,
    ready: false,
    started: false,
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

/** With another image it has been started again. */
function runningStatus(pod: Pod, container: Container, now: number): ContainerStatus {
  const previous = pod.status.containerStatuses?.find(({ name }) => name === container.name);
  const isChanged = previous !== undefined && previous.image !== (container.image ?? '');
  return withIds(pod, {
    ...emptyStatus(container),
    ready: true,
    started: true,
    restartCount: (previous?.restartCount ?? 0) + (isChanged ? 1 : 0),
    state: isChanged || previous?.state.running === undefined ? runningState(now) : previous.state,
    lastState: previous?.lastState ?? {},
  });
}

/** Init containers have completed, except sidecars, which keep running. */
function initStatus(pod: Pod, container: Container, now: number): ContainerStatus {
  const known = pod.status.initContainerStatuses?.find(({ name }) => name === container.name);
  if (known !== undefined) return known;
  const time = timeText(now);
  const started = container.restartPolicy === 'Always';
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time };
  const state = started ? runningState(now) : { terminated };
  return withIds(pod, { ...emptyStatus(container), ready: true, started, state });
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
function withIds(pod: Pod, status: ContainerStatus): ContainerStatus {
  const hasRun = status.state.waiting === undefined || status.lastState.terminated !== undefined;
  if (!hasRun) return status;
  const [name = '', digest = `sha256:${sha256(status.image)}`] = status.image.split('@');
  const imageID = `${name.replace(/:[^:/]*$/, '')}@${digest}`;
  return { ...status, imageID, containerID: containerId(pod, status.name, status.restartCount) };
}

function containerId({ metadata }: Pod, name: string, restartCount: number): string {
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
    const lastTransitionTime = present?.status === status ? present.lastTransitionTime : timeText(now);
    return { type, status, ...trouble, lastProbeTime: null, lastTransitionTime };
  };
  const containers =
    unready.length === 0
      ? undefined
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const own = [
    verdict('PodReadyToStartContainers', started ? undefined : {}),
    verdict('Initialized'),
    verdict('Ready', containers ?? closedGate(pod)),
    verdict('ContainersReady', containers),
    verdict('PodScheduled'),
  ];
  const types = new Set(own.map(({ type }) => type));
  const others = (pod.status.conditions ?? []).filter(({ type }) => !types.has(type));
  return [...others, ...own];
}

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-gate */
function closedGate({ spec, status }: Pod): { reason: string; message: string } | undefined {
  const open = status.conditions?.filter((condition) => condition.status === 'True').map(({ type }) => type);
  const closed = spec.readinessGates?.find(({ conditionType }) => open?.includes(conditionType) !== true);
  if (closed === undefined) return undefined;
  const message = `the status of pod readiness gate "${closed.conditionType}" is not "True"`;
  return { reason: 'ReadinessGatesNotReady', message };
}
