import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import { distance } from '@/lib/workloads/kruise/in-place';
import { objectAt, textAt } from '@/lib/workloads/read';
import { type World } from '@/server/sandbox/controllers/engine/world';
import {
  isAvailable,
  type Pod,
  podCondition,
  type PodSpec,
  type Template,
} from '@/server/sandbox/controllers/objects/pod';
import { timeText } from '@/server/sandbox/controllers/objects/time';

/** Closed while a pod changes in place. https://openkruise.io/docs/core-concepts/inplace-update */
export const IN_PLACE_READY = 'InPlaceUpdateReady';
/** How far the change in place of a pod is, as JSON. */
const STATE = 'apps.kruise.io/inplace-update-state';

/** What makes a pod of one template a pod of another while it lives on; null takes a key away. */
export interface InPlaceChange {
  readonly images: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/**
 * Undefined where only a new pod can take the other template.
 * https://github.com/openkruise/kruise/blob/master/pkg/util/inplaceupdate/inplace_update_defaults.go
 */
export function inPlaceChange(from: Template, to: Template): InPlaceChange | undefined {
  const apart = distance(from, to);
  if (apart.kind === 'more') return undefined;
  const changed = new Set(apart.kind === 'images' ? apart.containers : []);
  const images = to.spec.containers
    .filter(({ name }) => changed.has(name))
    .map(({ name, image = '' }): [string, string] => [name, image]);
  return {
    images: Object.fromEntries(images),
    labels: merged(from.metadata?.labels, to.metadata?.labels),
    annotations: merged(from.metadata?.annotations, to.metadata?.annotations),
  };
}

type Marks = Readonly<Record<string, string>>;

function merged(from: Marks = {}, to: Marks = {}): Record<string, string | null> {
  const removed = Object.keys(from).filter((key) => to[key] === undefined);
  const set = Object.entries(to).filter(([key, value]) => from[key] !== value);
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...set]);
}

/** A pod that can be changed in place later. */
export function withGate<T extends PodSpec>(spec: T): T {
  const gates = (spec.readinessGates ?? []).filter(({ conditionType }) => conditionType !== IN_PLACE_READY);
  return { ...spec, readinessGates: [...gates, { conditionType: IN_PLACE_READY }] };
}

function hasGate({ spec }: Pod): boolean {
  return (spec.readinessGates ?? []).some(({ conditionType }) => conditionType === IN_PLACE_READY);
}

/** Available, and not about to lose that because its change in place has just begun. */
export function isServing(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  return isAvailable(asNoticed(pod), minReadySeconds, now);
}

/** The pod as it is once the kubelet has noticed that its gate is closed. */
export function asNoticed(pod: Pod): Pod {
  if (!isChanging(pod)) return pod;
  const conditions = (pod.status.conditions ?? []).map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False' } : condition,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}

export function isChanging(pod: Pod): boolean {
  return hasGate(pod) && podCondition(pod, IN_PLACE_READY)?.status === 'False';
}

export interface Marking {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/** Closes the gate first, so that nobody sends requests to a container that is about to restart. */
export async function changeInPlace(
  world: World,
  pod: Pod,
  change: InPlaceChange,
  revision: string,
  { labels, annotations }: Marking,
): Promise<void> {
  if (hasGate(pod)) await setGate(world, pod, 'False');
  const containers = Object.entries(change.images).map(([name, image]) => ({ name, image }));
  const metadata = {
    labels: { ...change.labels, ...labels },
    annotations: {
      ...change.annotations,
      ...annotations,
      [STATE]: JSON.stringify(stateOf(pod, change, revision, timeText(world.now()))),
    },
  };
  const spec = containers.length === 0 ? {} : { spec: { containers } };
  await world.pods.as('kruise-manager').patch(pod, metadata, undefined, spec);
}

function stateOf(pod: Pod, { images }: InPlaceChange, revision: string, time: string): JsonObject {
  const before = (pod.status.containerStatuses ?? [])
    .filter(({ name }) => images[name] !== undefined)
    .map(({ name, imageID }): [string, Json] => [name, { imageID }]);
  const containers = Object.keys(images);
  return {
    revision,
    updateTimestamp: time,
    lastContainerStatuses: Object.fromEntries(before),
    ...(containers.length === 0 ? {} : { updateImages: true }),
    containerBatchesRecord: [{ timestamp: time, containers }],
  };
}

/**
 * Opens the gate of a pod that is new, or has finished its change; says whether it is open now. A pod has finished
 * when no container runs what it ran before.
 */
export async function openGate(world: World, pod: Pod): Promise<boolean> {
  if (!hasGate(pod) || podCondition(pod, IN_PLACE_READY)?.status === 'True') return true;
  if (!hasChanged(pod)) return false;
  await setGate(world, pod, 'True');
  return true;
}

function hasChanged({ metadata, spec, status }: Pod): boolean {
  const before = objectAt(parsed(metadata.annotations?.[STATE]), 'lastContainerStatuses') ?? {};
  return Object.keys(before).every((name) => {
    const now = status.containerStatuses?.find((container) => container.name === name);
    const wanted = spec.containers.find((container) => container.name === name)?.image;
    return now !== undefined && (now.image === wanted || now.imageID !== textAt(before, name, 'imageID'));
  });
}

/** People write annotations too. */
function parsed(text: string | undefined): JsonObject {
  try {
    const value = parseJson(text ?? '{}');
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function setGate(world: World, pod: Pod, status: 'True' | 'False'): Promise<void> {
  const reason = status === 'False' ? 'StartInPlaceUpdate' : null;
  const condition = { type: IN_PLACE_READY, status, reason, lastTransitionTime: timeText(world.now()) };
  await world.pods.as('kruise-manager').patch(pod, {}, 'status', { status: { conditions: [condition] } });
}
