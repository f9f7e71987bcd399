import type { PodBehaviour } from '@/sandbox/controllers/kubelet/behaviour';
import {
  type Addresses,
  backoffSeconds,
  crashedStatus,
  creatingStatus,
  type Culprit,
  podText,
  pullFailure,
  runningState,
  startedStatus,
} from '@/sandbox/controllers/kubelet/pod-status';
import {
  type Container,
  type ContainerStatus,
  isReady,
  type Pod,
  podCondition,
  type PodStatus,
} from '@/sandbox/controllers/objects/pod';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';

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

interface Moment {
  readonly pod: Pod;
  readonly behaviour: PodBehaviour;
  readonly addresses: Addresses;
  readonly now: number;
  /** The creation of containers is not reported. */
  readonly isCoarse?: boolean;
}

type CulpritMoment = Moment & { readonly culprit: Container };

/**
 * The next step of a pod towards its outcome, derived from its status and the time alone, so that a restarted
 * kubelet continues where the last one was.
 */
export function nextStep(moment: Moment): PodStep {
  const { pod, behaviour } = moment;
  const { containers } = pod.spec;
  const culprit = containers.find(({ name }) => name === behaviour.container) ?? containers[0];
  if (culprit === undefined) return REST;
  const known = pod.status.containerStatuses?.find(({ name }) => name === culprit.name);
  const at = { ...moment, culprit };
  if (known === undefined || known.state.waiting?.reason === 'ContainerCreating') return start(at, known);
  if (known.state.waiting !== undefined) return retry(at, known);
  return run(at, known);
}

/** The events of a pod that is being deleted. */
export function stopEvents({ status }: Pod): StepEvent[] {
  const running = (status.containerStatuses ?? []).filter(({ state }) => state.running !== undefined);
  return running.map(({ name }) => normal(name, 'Killing', `Stopping container ${name}`));
}

function start(at: CulpritMoment, known: ContainerStatus | undefined): PodStep {
  const { pod, behaviour, addresses, now } = at;
  const bound = timeOf(podCondition(pod, 'PodScheduled')?.lastTransitionTime);
  const startAt = (bound ?? timeOf(pod.metadata.creationTimestamp) ?? 0) + behaviour.startsAfterMs;
  if (now < startAt) {
    if (known !== undefined || at.isCoarse === true) return { events: [], lookAgainAt: startAt };
    const events = pod.spec.containers.map(({ name, image = '' }) =>
      normal(name, 'Pulling', `Pulling image "${image}"`),
    );
    return { status: creatingStatus(pod, addresses, now), events, lookAgainAt: startAt };
  }
  if (behaviour.outcome === 'broken') return fail(at);
  const started = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const pullMs = known === undefined ? undefined : behaviour.startsAfterMs;
  return launch(at, 0, {}, startEvents(started, pullMs));
}

/** The container runs from now on. */
function launch(
  at: CulpritMoment,
  restartCount: number,
  lastState: Culprit['lastState'],
  started: readonly StepEvent[] = [],
): PodStep {
  const { behaviour, culprit, now } = at;
  const { outcome, readyAfterMs } = behaviour;
  if (outcome === 'crash' && readyAfterMs === 0) return crash(at, timeText(now), restartCount, started);
  const ready = outcome === 'ready' && readyAfterMs === 0;
  const state = runningState(now);
  return {
    status: statusWith(at, { name: culprit.name, ready, started: true, restartCount, state, lastState }),
    events: outcome === 'hang' ? [...started, unhealthy(at)] : started,
    lookAgainAt: ready || outcome === 'hang' ? undefined : now + readyAfterMs,
  };
}

/** A container whose image can't be pulled. */
function fail(at: CulpritMoment, before: readonly StepEvent[] = []): PodStep {
  const { name, image = '' } = at.culprit;
  const state = { waiting: pullFailure(at.culprit) };
  const failed = (message: string) => warning(name, 'Failed', message);
  return {
    status: statusWith(at, { name, ready: false, started: false, restartCount: 0, state, lastState: {} }),
    events: [
      ...before,
      failed(
        `Failed to pull image "${image}": rpc error: code = NotFound desc = failed to pull and unpack image "${image}": not found`,
      ),
      failed('Error: ErrImagePull'),
      normal(name, 'BackOff', `Back-off pulling image "${image}"`),
      failed('Error: ImagePullBackOff'),
    ],
  };
}

/** A container that waits after a crash, or for an image that may exist by now. */
function retry(at: CulpritMoment, known: ContainerStatus): PodStep {
  const { behaviour, culprit, now } = at;
  const ended = known.lastState.terminated;
  if (ended === undefined) return behaviour.outcome === 'broken' ? REST : launch(at, 0, {});
  const dueAt = (timeOf(ended.finishedAt) ?? now) + backoffSeconds(known.restartCount) * 1000;
  if (now < dueAt) return { events: [], lookAgainAt: dueAt };
  const restartCount = known.restartCount + 1;
  const started = startEvents([culprit]);
  return behaviour.outcome === 'crash'
    ? crash(at, timeText(now), restartCount, started)
    : launch(at, restartCount, known.lastState, started);
}

function run(at: CulpritMoment, known: ContainerStatus): PodStep {
  const { pod, behaviour, now } = at;
  if (changedImages(pod).length > 0) return startAnew(at, known);
  const startedAt = known.state.running?.startedAt ?? timeText(now);
  const dueAt = (timeOf(startedAt) ?? now) + behaviour.readyAfterMs;
  switch (behaviour.outcome) {
    case 'ready': {
      if (!known.ready && now < dueAt) return { events: [], lookAgainAt: dueAt };
      const status = statusWith(at, undefined);
      return known.ready && isReady(pod) === isReady({ status }) ? REST : { status, events: [] };
    }
    case 'hang':
    case 'broken': {
      if (!known.ready) return REST;
      return { status: statusWith(at, { ...known, ready: false }), events: [unhealthy(at)] };
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
function startAnew(at: CulpritMoment, known: ContainerStatus): PodStep {
  const changed = changedImages(at.pod);
  const killed = changed.map(({ name }) =>
    normal(name, 'Killing', `Container ${name} definition changed, will be restarted`),
  );
  if (at.behaviour.outcome === 'broken') return fail(at, killed);
  const restartCount = known.restartCount + (changed.includes(at.culprit) ? 1 : 0);
  return launch(at, restartCount, known.lastState, [...killed, ...startEvents(changed)]);
}

/** Containers that run another image than the spec requests. */
function changedImages({ spec, status }: Pod): Container[] {
  const images = new Map((status.containerStatuses ?? []).map(({ name, image }) => [name, image]));
  return spec.containers.filter(({ name, image = '' }) => (images.get(name) ?? image) !== image);
}

function crash(
  at: CulpritMoment,
  startedAt: string,
  restartCount: number,
  started: readonly StepEvent[] = [],
): PodStep {
  const { pod, culprit, now } = at;
  const message = `Back-off restarting failed container ${culprit.name} in pod ${podText(pod)}`;
  const finishedAt = timeOf(timeText(now)) ?? now;
  return {
    status: statusWith(at, crashedStatus(pod, culprit, startedAt, restartCount, now)),
    events: [...started, warning(culprit.name, 'BackOff', message)],
    lookAgainAt: finishedAt + backoffSeconds(restartCount) * 1000,
  };
}

function statusWith({ pod, addresses, now }: Moment, culprit: Culprit | undefined): PodStatus {
  return startedStatus(pod, addresses, culprit, now);
}

function unhealthy({ behaviour, culprit }: CulpritMoment): StepEvent {
  const said = behaviour.probe ?? 'HTTP probe failed with statuscode: 503';
  return warning(culprit.name, 'Unhealthy', `Readiness probe failed: ${said}`);
}

/** Without a time the images were there already. */
function startEvents(containers: readonly Container[], pullMs?: number): StepEvent[] {
  return containers.flatMap(({ name, image = '' }) => [
    normal(
      name,
      'Pulled',
      pullMs === undefined
        ? `Container image "${image}" already present on machine`
        : `Successfully pulled image "${image}" in ${pullMs / 1000}s (${pullMs / 1000}s including waiting)`,
    ),
    normal(name, 'Created', 'Container created'),
    normal(name, 'Started', 'Container started'),
  ]);
}

function normal(container: string, reason: string, message: string): StepEvent {
  return { type: 'Normal', reason, message, container };
}

function warning(container: string, reason: string, message: string): StepEvent {
  return { type: 'Warning', reason, message, container };
}
