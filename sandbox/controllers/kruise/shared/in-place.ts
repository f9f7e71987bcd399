import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import { templateDifference } from '@/lib/workloads/kruise/in-place';
import { objectAt, textAt } from '@/lib/kube/read';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  isAvailable,
  type Pod,
  podCondition,
  type PodSpec,
  type PodTemplateSpec,
} from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';

/** False while a pod is updated in place. https://openkruise.io/docs/core-concepts/inplace-update */
const IN_PLACE_READY = 'InPlaceUpdateReady';
/** The state of a pod's in-place update, as JSON. */
const STATE = 'apps.kruise.io/inplace-update-state';

/** The patch that updates a pod from one template to another in place; null removes a key. */
export interface InPlaceChange {
  readonly images: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/**
 * Undefined where only a new pod can have the other template.
 * https://github.com/openkruise/kruise/blob/master/pkg/util/inplaceupdate/inplace_update_defaults.go
 */
export function inPlaceChange(from: PodTemplateSpec, to: PodTemplateSpec): InPlaceChange | undefined {
  const apart = templateDifference(from, to);
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

/** A pod that can be updated in place later. */
export function withGate<T extends PodSpec>(spec: T): T {
  const gates = (spec.readinessGates ?? []).filter(({ conditionType }) => conditionType !== IN_PLACE_READY);
  return { ...spec, readinessGates: [...gates, { conditionType: IN_PLACE_READY }] };
}

function hasGate({ spec }: Pod): boolean {
  return (spec.readinessGates ?? []).some(({ conditionType }) => conditionType === IN_PLACE_READY);
}

/** Available, and not about to become unavailable because its in-place update has just started. */
export function isServing(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  return isAvailable(asNoticed(pod), minReadySeconds, now);
}

/** The pod after the kubelet has observed that its readiness gate is closed. */
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

/** Closes the readiness gate first, so that a container gets no requests when it is about to restart. */
export async function changeInPlace(
  manager: ControllerManager,
  pod: Pod,
  change: InPlaceChange,
  revision: string,
  { labels, annotations }: Marking,
): Promise<void> {
  if (hasGate(pod)) await setGate(manager, pod, 'False');
  const containers = Object.entries(change.images).map(([name, image]) => ({ name, image }));
  const metadata = {
    labels: { ...change.labels, ...labels },
    annotations: {
      ...change.annotations,
      ...annotations,
      [STATE]: JSON.stringify(stateOf(pod, change, revision, timeText(manager.now()))),
    },
  };
  const spec = containers.length === 0 ? {} : { spec: { containers } };
  await manager.pods.as('kruise-manager').patch(pod, metadata, undefined, spec);
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
 * Opens the readiness gate of a pod that is new, or has completed its update; returns whether it is open now.
 * A pod has completed when no container runs its former image.
 */
export async function openGate(manager: ControllerManager, pod: Pod): Promise<boolean> {
  if (!hasGate(pod) || podCondition(pod, IN_PLACE_READY)?.status === 'True') return true;
  if (!hasChanged(pod)) return false;
  await setGate(manager, pod, 'True');
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

/** Users write annotations too, so they may be invalid. */
function parsed(text: string | undefined): JsonObject {
  try {
    const value = parseJson(text ?? '{}');
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function setGate(manager: ControllerManager, pod: Pod, status: 'True' | 'False'): Promise<void> {
  const reason = status === 'False' ? 'StartInPlaceUpdate' : null;
  const condition = { type: IN_PLACE_READY, status, reason, lastTransitionTime: timeText(manager.now()) };
  await manager.pods.as('kruise-manager').patch(pod, {}, 'status', { status: { conditions: [condition] } });
}
