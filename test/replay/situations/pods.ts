import { condition, type Json, type JsonObject, type KubeObject, type Scene, time } from './scene';

/** A container's state: restarts, started, ready, and what it waits for or why it ended. */
interface Shape {
  phase: string;
  reason?: string;
  ready?: boolean | 'Unknown';
  readyReason?: string;
  unscheduled?: string;
  waiting?: string;
  exit?: number;
  exitReason?: string;
  restarts?: number;
  /** The container that is meant; by default the application's. */
  of?: 'init' | 'sidecar';
  terminating?: 'now' | 'long' | 'finalizer';
  gate?: true;
  noContainers?: true;
}

const CRASH = { phase: 'Running', ready: false, waiting: 'CrashLoopBackOff', exit: 1 } as const;

/** Pods as they are seen in the field. */
const SHAPES = {
  ready: { phase: 'Running', ready: true },
  restarted: { phase: 'Running', ready: true, exit: 137, exitReason: 'OOMKilled', restarts: 7 },
  creating: { phase: 'Pending', ready: false, waiting: 'ContainerCreating' },
  fresh: { phase: 'Pending', noContainers: true },
  unready: { phase: 'Running', ready: false, readyReason: 'ContainersNotReady' },
  gateOpen: { phase: 'Running', ready: false, readyReason: 'ReadinessGatesNotReady', gate: true },
  unschedulable: { phase: 'Pending', unscheduled: '0/3 nodes are available: 3 Insufficient cpu.' },
  volume: { phase: 'Pending', unscheduled: 'pod has unbound immediate PersistentVolumeClaims.' },
  gated: { phase: 'Pending', unscheduled: 'Scheduling is blocked due to non-empty scheduling gates' },
  imagePull: { phase: 'Pending', ready: false, waiting: 'ImagePullBackOff' },
  config: { phase: 'Pending', ready: false, waiting: 'CreateContainerConfigError' },
  crash: { ...CRASH, restarts: 5 },
  oom: { ...CRASH, exit: 137, exitReason: 'OOMKilled', restarts: 4 },
  flapping: { phase: 'Running', ready: false, exit: 2, restarts: 3 },
  initRunning: { phase: 'Pending', ready: false, of: 'init' },
  initCrash: {
    phase: 'Pending',
    ready: false,
    of: 'init',
    waiting: 'CrashLoopBackOff',
    exit: 1,
    restarts: 6,
  },
  sidecarUnready: { phase: 'Running', ready: false, of: 'sidecar' },
  sidecarCrash: { ...CRASH, of: 'sidecar', restarts: 4 },
  lost: { phase: 'Running', ready: 'Unknown', readyReason: 'NodeStatusUnknown' },
  evicted: { phase: 'Failed', reason: 'Evicted', noContainers: true },
  failed: { phase: 'Failed', exit: 3, ready: false },
  succeeded: { phase: 'Succeeded', ready: false, readyReason: 'PodCompleted', exit: 0 },
  ending: { phase: 'Running', ready: true, terminating: 'now' },
  endingLong: { phase: 'Running', ready: false, terminating: 'long' },
  endingLost: { phase: 'Running', ready: 'Unknown', reason: 'NodeLost', terminating: 'long' },
  endingHeld: { phase: 'Running', ready: false, terminating: 'finalizer' },
  withoutStatus: { phase: '', noContainers: true },
} as const satisfies Record<string, Shape>;

export type PodState = keyof typeof SHAPES;

/** Those that keep a rollout from finishing, by a cause that does not go away. */
export const UGLY: readonly PodState[] = [
  ...(['unschedulable', 'volume', 'gated', 'imagePull', 'config', 'crash', 'oom', 'flapping'] as const),
  ...(['initCrash', 'sidecarUnready', 'sidecarCrash', 'lost', 'unready', 'gateOpen', 'failed'] as const),
];
export const STARTING: readonly PodState[] = ['creating', 'fresh', 'unready', 'initRunning'];
/** Those that their controller does not count any more. */
export const LEFTOVER: readonly PodState[] = [
  ...(['ending', 'ending', 'endingLong', 'endingLost', 'endingHeld', 'evicted', 'evicted'] as const),
  ...(['succeeded', 'failed'] as const),
];

export interface Pod {
  uid: string;
  name: string;
  /** Its place in a set with identities; -1: it has none. */
  ordinal: number;
  /** The hash of the revision that it runs. */
  revision: string;
  state: PodState;
  /** Milliseconds: created, and in this state. */
  at: number;
  since: number;
  owners: Json[];
  labels: JsonObject;
  annotations?: JsonObject;
  images: readonly string[];
}

export function isCounted({ state }: Pod): boolean {
  const { phase, terminating }: Shape = SHAPES[state];
  return terminating === undefined && phase !== 'Failed' && phase !== 'Succeeded';
}

export function isReady({ state }: Pod): boolean {
  const { ready, terminating }: Shape = SHAPES[state];
  return ready === true && terminating === undefined;
}

export function renderPod(scene: Scene, pod: Pod, labels: JsonObject = {}): KubeObject {
  const shape: Shape = SHAPES[pod.state];
  const { terminating, unscheduled } = shape;
  const deletedAt = terminating === 'now' ? pod.since : pod.since - 700_000;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: scene.meta(pod.name, {
      ...{ at: pod.at, uid: pod.uid, labels: { ...pod.labels, ...labels }, annotations: pod.annotations },
      ownerReferences: pod.owners,
      deletionTimestamp: terminating === undefined ? undefined : time(deletedAt),
      finalizers: terminating === 'finalizer' ? ['example.com/drain'] : undefined,
    }),
    spec: {
      nodeName: unscheduled === undefined ? `node-${(pod.ordinal + 1) % 4}` : undefined,
      schedulingGates: pod.state === 'gated' ? [{ name: 'example.com/quota' }] : undefined,
      readinessGates: shape.gate && [{ conditionType: 'example.com/lb' }],
      initContainers: initContainersOf(shape),
      containers: pod.images.map((image, index) => ({ name: index === 0 ? 'app' : `c${index}`, image })),
    },
    status: shape.phase === '' ? undefined : statusOf(pod, shape),
  };
}

function initContainersOf({ of }: Shape): Json[] | undefined {
  if (of === undefined) return undefined;
  return [{ name: of, image: `registry/${of}:1`, restartPolicy: of === 'sidecar' ? 'Always' : undefined }];
}

function statusOf(pod: Pod, shape: Shape): JsonObject {
  const { phase, reason, ready, readyReason, unscheduled, gate, noContainers, of } = shape;
  const conditions: JsonObject[] = [];
  if (ready !== undefined)
    conditions.push(
      condition('Ready', ready === true ? 'True' : ready === false ? 'False' : ready, pod.since, readyReason),
    );
  const gated = pod.state === 'gated' ? 'SchedulingGated' : 'Unschedulable';
  conditions.push(
    unscheduled === undefined
      ? condition('PodScheduled', 'True', pod.at)
      : condition('PodScheduled', 'False', pod.since, gated, unscheduled),
  );
  if (gate === true) conditions.push(condition('example.com/lb', 'False', pod.since));
  const meant = containerStatus(pod, shape);
  const isServing = of === 'sidecar' || of === undefined;
  const app =
    of === undefined ? meant : { name: 'app', restartCount: 0, started: isServing, ready: isServing };
  const others = pod.images
    .slice(1)
    .map((_, index) => ({ name: `c${index + 1}`, restartCount: 0, ready: true }));
  const hasContainers = noContainers !== true && unscheduled === undefined;
  return {
    ...{ phase, reason, conditions, startTime: time(pod.at) },
    message: reason === 'Evicted' ? 'The node was low on resource: memory.' : undefined,
    podIP: phase === 'Running' ? `10.0.${pod.ordinal + 1}.7` : undefined,
    initContainerStatuses: hasContainers && of !== undefined ? [{ ...meant, name: of }] : undefined,
    containerStatuses: hasContainers ? [app, ...others] : undefined,
  };
}

function containerStatus({ images, since, state }: Pod, shape: Shape): JsonObject {
  const { waiting, exit, exitReason, restarts = 0, ready = false, phase } = shape;
  const reason = exitReason ?? (exit === 0 ? 'Completed' : 'Error');
  const ended = exit === undefined ? undefined : { exitCode: exit, reason, finishedAt: time(since) };
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  const isRunning = waiting === undefined && !isOver;
  return {
    ...{ name: 'app', image: images[0], restartCount: restarts, ready: ready === true },
    started: isRunning && state !== 'initRunning',
    state: {
      waiting: waiting === undefined ? undefined : { reason: waiting, message: `${waiting} of app` },
      running: isRunning ? { startedAt: time(since) } : undefined,
      terminated: isOver ? ended : undefined,
    },
    lastState: isOver ? undefined : { terminated: ended },
  };
}
