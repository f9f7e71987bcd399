import {
  type Addresses,
  backoffSeconds,
  crashedStatus,
  creatingStatus,
  type Culprit,
  culpritOf,
  podText,
  pullFailure,
  runningState,
  startedStatus,
} from '@/sandbox/controllers/kubelet/pod-status';
import { type PodBehaviour } from '@/sandbox/controllers/kubelet/behaviour';
import {
  type Container,
  type ContainerStatus,
  isReady,
  type Pod,
  type PodStatus,
} from '@/sandbox/controllers/objects/pod';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';
import { fnv1a } from '@/sandbox/controllers/revisions/hash';

export interface StepEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly container: string;
}

/** The next action of a kubelet: a status to write, events to write, and when to requeue without a change. */
interface PodStep {
  readonly status?: PodStatus;
  readonly events: readonly StepEvent[];
  readonly lookAgainAt?: number;
}

const REST: PodStep = { events: [] };

/**
 * The next step of a pod towards its outcome, derived from its status and the time alone, so that a restarted
 * kubelet continues where the last one was. Coarsely, the creation of containers is not reported.
 */
export function nextStep(
  pod: Pod,
  behaviour: PodBehaviour,
  addresses: Addresses,
  now: number,
  isCoarse = false,
): PodStep {
  const culprit = culpritOf(pod, behaviour);
  if (culprit === undefined) return REST;
  const known = pod.status.containerStatuses?.find(({ name }) => name === culprit.name);
  const at = { pod, behaviour, addresses, culprit, now, isCoarse };
  if (known === undefined || known.state.waiting?.reason === 'ContainerCreating') return start(at, known);
  if (known.state.waiting !== undefined) return retry(at, known);
  return run(at, known);
}

/** The events of a pod that is being deleted. */
export function stopEvents(pod: Pod): StepEvent[] {
  const running = new Set(
    (pod.status.containerStatuses ?? []).flatMap(({ name, state }) =>
      state.running === undefined ? [] : [name],
    ),
  );
  return pod.spec.containers
    .filter(({ name }) => running.has(name))
    .map(({ name }) => ({
      type: 'Normal',
      reason: 'Killing',
      message: `Stopping container ${name}`,
      container: name,
    }));
}

interface Moment {
  readonly pod: Pod;
  readonly behaviour: PodBehaviour;
  readonly addresses: Addresses;
  readonly culprit: Container;
  readonly now: number;
  readonly isCoarse: boolean;
}

function start(at: Moment, known: ContainerStatus | undefined): PodStep {
  const { pod, behaviour, addresses, now, isCoarse } = at;
  const startAt = boundAt(pod) + behaviour.startsAfterMs;
  if (now < startAt) {
    if (known !== undefined || isCoarse) return { events: [], lookAgainAt: startAt };
    const events = pod.spec.containers.map(pulling);
    return { status: creatingStatus(pod, addresses, now), events, lookAgainAt: startAt };
  }
  const wasPulled = known !== undefined;
  if (behaviour.outcome === 'broken') return fail(at);
  const events = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap((container) =>
    startEvents(container, wasPulled, behaviour.startsAfterMs),
  );
  const step = launch(at, 0, {});
  return { ...step, events: [...events, ...step.events] };
}

/** The container runs from now on. */
function launch(at: Moment, restartCount: number, lastState: Culprit['lastState']): PodStep {
  const { pod, behaviour, addresses, culprit, now } = at;
  const { outcome, readyAfterMs } = behaviour;
  if (outcome === 'crash' && readyAfterMs === 0) return crash(at, timeText(now), restartCount);
  const isReadyNow = outcome === 'ready' && readyAfterMs === 0;
  const status = { ready: isReadyNow, started: true, restartCount, state: runningState(now), lastState };
  return {
    status: startedStatus(pod, addresses, { name: culprit.name, status }, now),
    events: outcome === 'hang' ? [unhealthy(at)] : [],
    ...(isReadyNow || outcome === 'hang' ? {} : { lookAgainAt: now + readyAfterMs }),
  };
}

/** A container that can't be created. */
function fail(at: Moment): PodStep {
  const { pod, behaviour, addresses, culprit, now } = at;
  const waiting = { ...(behaviour.waiting ?? pullFailure(culprit)) };
  const status = { ready: false, restartCount: 0, state: { waiting }, lastState: {} };
  const image = culprit.image ?? '';
  const about = { container: culprit.name };
  const pull: StepEvent[] = [
    {
      ...about,
      type: 'Warning',
      reason: 'Failed',
      message: `Failed to pull image "${image}": rpc error: code = NotFound desc = failed to pull and unpack image "${image}": not found`,
    },
    { ...about, type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' },
    { ...about, type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${image}"` },
    { ...about, type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff' },
  ];
  const other: StepEvent = {
    ...about,
    type: 'Warning',
    reason: 'Failed',
    message: `Error: ${waiting.message}`,
  };
  return {
    status: startedStatus(pod, addresses, { name: culprit.name, status }, now),
    events: behaviour.waiting === undefined ? pull : [other],
  };
}

/** A container that waits after a crash, or for something missing that may exist by now. */
function retry(at: Moment, known: ContainerStatus): PodStep {
  const { behaviour, now } = at;
  const ended = known.lastState.terminated;
  if (ended === undefined) return behaviour.outcome === 'broken' ? REST : launch(at, 0, {});
  const dueAt = (timeOf(ended.finishedAt) ?? now) + backoffSeconds(known.restartCount) * 1000;
  if (now < dueAt) return { events: [], lookAgainAt: dueAt };
  const restartCount = known.restartCount + 1;
  const started: StepEvent[] = startEvents(at.culprit, false, 0);
  if (behaviour.outcome !== 'crash') {
    const step = launch(at, restartCount, known.lastState);
    return { ...step, events: [...started, ...step.events] };
  }
  const step = crash(at, timeText(now), restartCount);
  return { ...step, events: [...started, ...step.events] };
}

function run(at: Moment, known: ContainerStatus): PodStep {
  const { pod, behaviour, addresses, culprit, now } = at;
  if (changedImages(pod).length > 0) return startAnew(at, known);
  const startedAt = known.state.running?.startedAt ?? timeText(now);
  const dueAt = (timeOf(startedAt) ?? now) + behaviour.readyAfterMs;
  switch (behaviour.outcome) {
    case 'ready': {
      if (!known.ready && now < dueAt) return { events: [], lookAgainAt: dueAt };
      const status = startedStatus(pod, addresses, undefined, now);
      return known.ready && isReady(pod) === isReadyIn(status) ? REST : { status, events: [] };
    }
    case 'hang':
    case 'broken': {
      if (!known.ready) return REST;
      const own = { ...known, ready: false, started: true };
      const status = startedStatus(pod, addresses, { name: culprit.name, status: own }, now);
      return { status, events: [unhealthy(at)] };
    }
    case 'crash':
      if (!known.ready && now < dueAt) return { events: [], lookAgainAt: dueAt };
      return crash(at, startedAt, known.restartCount);
    default:
      return behaviour.outcome satisfies never;
  }
}

/**
 * The pod keeps running with other images.
 * https://kubernetes.io/docs/concepts/workloads/pods/#pod-update-and-replacement
 */
function startAnew(at: Moment, known: ContainerStatus): PodStep {
  const { pod, culprit, behaviour } = at;
  const changed = changedImages(pod);
  const killed = changed.map(({ name }): StepEvent => {
    const message = `Container ${name} definition changed, will be restarted`;
    return { type: 'Normal', reason: 'Killing', message, container: name };
  });
  const restartCount = known.restartCount + (changed.includes(culprit) ? 1 : 0);
  const step = behaviour.outcome === 'broken' ? fail(at) : launch(at, restartCount, known.lastState);
  const started = behaviour.outcome === 'broken' ? [] : changed.flatMap((one) => startEvents(one, false, 0));
  return { ...step, events: [...killed, ...started, ...step.events] };
}

/** Containers that run another image than the spec requests. */
function changedImages({ spec, status }: Pod): Container[] {
  const images = new Map((status.containerStatuses ?? []).map(({ name, image }) => [name, image]));
  return spec.containers.filter(({ name, image = '' }) => (images.get(name) ?? image) !== image);
}

function crash(at: Moment, startedAt: string, restartCount: number): PodStep {
  const { pod, behaviour, addresses, culprit, now } = at;
  const status = crashedStatus(pod, culprit, behaviour, startedAt, restartCount, now);
  const message = `Back-off restarting failed container ${culprit.name} in pod ${podText(pod)}`;
  const finishedAt = timeOf(timeText(now)) ?? now;
  return {
    status: startedStatus(pod, addresses, { name: culprit.name, status }, now),
    events: [{ type: 'Warning', reason: 'BackOff', message, container: culprit.name }],
    lookAgainAt: finishedAt + backoffSeconds(restartCount) * 1000,
  };
}

function boundAt(pod: Pod): number {
  const condition = pod.status.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'True',
  );
  return timeOf(condition?.lastTransitionTime) ?? timeOf(pod.metadata.creationTimestamp) ?? 0;
}

function isReadyIn(status: PodStatus): boolean {
  return (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

function unhealthy({ behaviour, culprit }: Moment): StepEvent {
  const said = behaviour.probe ?? 'HTTP probe failed with statuscode: 503';
  const message = `Readiness probe failed: ${said}`;
  return { type: 'Warning', reason: 'Unhealthy', message, container: culprit.name };
}

function pulling({ name, image = '' }: Container): StepEvent {
  return { type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"`, container: name };
}

function startEvents({ name, image = '' }: Container, wasPulled: boolean, pullMs: number): StepEvent[] {
  const seconds = `${(pullMs / 1000).toFixed(3).replace(/\.?0+$/, '')}s`;
  const pulled = wasPulled
    ? `Successfully pulled image "${image}" in ${seconds} (${seconds} including waiting). Image size: ${imageSize(image)} bytes.`
    : `Container image "${image}" already present on machine`;
  const event = (reason: string, message: string): StepEvent => ({
    type: 'Normal',
    reason,
    message,
    container: name,
  });
  return [
    event('Pulled', pulled),
    event('Created', 'Container created'),
    event('Started', 'Container started'),
  ];
}

/** Between 20 and 220 MB, the same for the same image. */
function imageSize(image: string): number {
  return 20_000_000 + (fnv1a(Buffer.from(image)) % 200_000_000);
}
