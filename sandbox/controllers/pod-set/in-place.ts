import { deepEqual, type JsonObject } from '@/lib/kube/json';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import {
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

export type InPlace = 'never' | 'ifPossible' | 'only';

export function readInPlace(policy: string | undefined): InPlace {
  if (policy === 'InPlaceOnly') return 'only';
  return policy === 'InPlaceIfPossible' ? 'ifPossible' : 'never';
}

/** A pod that can be updated in place later. */
export function withGate<T extends PodSpec>(spec: T): T {
  return { ...spec, readinessGates: [...(spec.readinessGates ?? []), { conditionType: IN_PLACE_READY }] };
}

function hasGate({ spec }: Pod): boolean {
  return (spec.readinessGates ?? []).some(({ conditionType }) => conditionType === IN_PLACE_READY);
}

/** The pod once the kubelet has observed that its readiness gate is closed: it is not ready. */
export function asNoticed(pod: Pod): Pod {
  if (!hasGate(pod) || podCondition(pod, IN_PLACE_READY)?.status !== 'False') return pod;
  const conditions = pod.status.conditions?.map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False' } : condition,
  );
  return { ...pod, status: { ...pod.status, conditions: conditions ?? [] } };
}

/** Only images, labels, and annotations can change in a pod; for any other template it has to be a new one. */
export function canChangeInPlace(from: PodTemplateSpec, to: PodTemplateSpec): boolean {
  return deepEqual(withoutImages(from.spec), withoutImages(to.spec));
}

function withoutImages(spec: PodSpec): JsonObject {
  const containers = spec.containers.map(({ image: _image, ...container }) => container);
  return { ...spec, containers };
}

/**
 * Changes a pod from one template to another, and marks it with the labels of its new revision. The readiness gate
 * closes first, so that a container gets no requests when it is about to restart.
 */
export async function changeInPlace(
  manager: ControllerManager,
  pod: Pod,
  templates: { from: PodTemplateSpec; to: PodTemplateSpec },
  revision: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const { from, to } = templates;
  if (hasGate(pod)) await setGate(manager, pod, 'False');
  const state = { revision, updateTimestamp: timeText(manager.now()) };
  const metadata = {
    labels: { ...findChanges(from.metadata?.labels, to.metadata?.labels), ...labels },
    annotations: {
      ...findChanges(from.metadata?.annotations, to.metadata?.annotations),
      [STATE]: JSON.stringify(state),
    },
  };
  const containers = to.spec.containers.map(({ name, image = '' }) => ({ name, image }));
  await manager.pods.as('kruise-manager').patch(pod, metadata, undefined, { spec: { containers } });
}

type Marks = Readonly<Record<string, string>>;

/** As a merge patch. */
function findChanges(from: Marks = {}, to: Marks = {}): Record<string, string | null> {
  const removed = Object.keys(from).filter((key) => to[key] === undefined);
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...to };
}

/** Opens the readiness gate of a pod that is new, or whose containers all run their new images. */
export async function openGate(manager: ControllerManager, pod: Pod): Promise<void> {
  if (!hasGate(pod) || podCondition(pod, IN_PLACE_READY)?.status === 'True') return;
  const isNew = pod.metadata.annotations?.[STATE] === undefined;
  const images = new Map(pod.status.containerStatuses?.map(({ name, image }) => [name, image]));
  const isDone = pod.spec.containers.every(({ name, image }) => images.get(name) === image);
  if (isNew || isDone) await setGate(manager, pod, 'True');
}

async function setGate(manager: ControllerManager, pod: Pod, status: 'True' | 'False'): Promise<void> {
  const reason = status === 'False' ? 'StartInPlaceUpdate' : null;
  const condition = { type: IN_PLACE_READY, status, reason, lastTransitionTime: timeText(manager.now()) };
  await manager.pods.as('kruise-manager').patch(pod, {}, 'status', { status: { conditions: [condition] } });
}
