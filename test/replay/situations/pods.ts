import { fill } from './fill';
import { condition, type Json, type JsonObject, type KubeObject, type Scene, time } from './scene';
import tables from './tables.json' with { type: 'json' };

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

/** Pods as they are seen in the field. */
const SHAPES: Readonly<Record<keyof typeof tables.pods, Shape>> = tables.pods as never;

export type PodState = keyof typeof SHAPES;

/** Those that keep a rollout from finishing, by a cause that does not go away. */
export const UGLY = tables.ugly as readonly PodState[];
export const STARTING = tables.starting as readonly PodState[];
/** Those that their controller does not count any more. */
export const LEFTOVER = tables.leftover as readonly PodState[];

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
  const { uid, at, since, state, ordinal, annotations, owners, images } = pod;
  const shape: Shape = SHAPES[state];
  const { terminating, unscheduled, of } = shape;
  const deletedAt = terminating === 'now' ? since : since - 700_000;
  const metadata = scene.meta(pod.name, {
    at,
    uid,
    labels: { ...pod.labels, ...labels },
    annotations,
    ownerReferences: owners,
    deletionTimestamp: terminating === undefined ? undefined : time(deletedAt),
    finalizers: terminating === 'finalizer' ? ['example.com/drain'] : undefined,
  });
  const restartPolicy = of === 'sidecar' ? 'Always' : undefined;
  return fill('Pod', {
    metadata,
    node: unscheduled === undefined ? `node-${(ordinal + 1) % 4}` : undefined,
    gates: state === 'gated' ? [{ name: 'example.com/quota' }] : undefined,
    readinessGates: shape.gate && [{ conditionType: 'example.com/lb' }],
    init: of && [{ name: of, image: `registry/${of}:1`, restartPolicy }],
    containers: images.map((image, index) => ({ name: index === 0 ? 'app' : `c${index}`, image })),
    status: shape.phase === '' ? undefined : statusOf(pod, shape),
  });
}

function statusOf(pod: Pod, shape: Shape): JsonObject {
  const { phase, reason, ready, readyReason, unscheduled, gate, noContainers, of } = shape;
  const { since, at, state, images, ordinal } = pod;
  const conditions: JsonObject[] = [];
  const isReadyText = ready === true ? 'True' : ready === false ? 'False' : ready;
  if (isReadyText !== undefined) conditions.push(condition('Ready', isReadyText, since, readyReason));
  const gated = state === 'gated' ? 'SchedulingGated' : 'Unschedulable';
  if (unscheduled === undefined) conditions.push(condition('PodScheduled', 'True', at));
  else conditions.push(condition('PodScheduled', 'False', since, gated, unscheduled));
  if (gate === true) conditions.push(condition('example.com/lb', 'False', since));
  const meant = containerStatus(pod, shape);
  const isServing = of !== 'init';
  const app = of && { name: 'app', restartCount: 0, started: isServing, ready: isServing };
  const others = images.slice(1).map((_, index) => ({ name: `c${index + 1}`, restartCount: 0, ready: true }));
  const hasContainers = noContainers !== true && unscheduled === undefined;
  return fill('Pod.status', {
    shape,
    conditions,
    startTime: time(at),
    message: reason === 'Evicted' ? 'The node was low on resource: memory.' : undefined,
    ip: phase === 'Running' ? `10.0.${ordinal + 1}.7` : undefined,
    init: hasContainers && of !== undefined ? [{ ...meant, name: of }] : undefined,
    containers: hasContainers ? [app ?? meant, ...others] : undefined,
  });
}

function containerStatus({ images, since, state }: Pod, shape: Shape): JsonObject {
  const { waiting, exit, exitReason, restarts = 0, ready = false, phase } = shape;
  const reason = exitReason ?? (exit === 0 ? 'Completed' : 'Error');
  const ended = exit === undefined ? undefined : { exitCode: exit, reason, finishedAt: time(since) };
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  const isRunning = waiting === undefined && !isOver;
  return fill('Pod.container', {
    image: images[0],
    restarts,
    ready: ready === true,
    started: isRunning && state !== 'initRunning',
    waiting: waiting && { reason: waiting, message: `${waiting} of app` },
    running: isRunning ? { startedAt: time(since) } : undefined,
    terminated: isOver ? ended : undefined,
    last: isOver ? undefined : { terminated: ended },
  });
}
