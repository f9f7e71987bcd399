import { asError } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  isAvailable,
  isDeleting,
  isTerminal,
  type Pod,
  type PodTemplateSpec,
} from '@/sandbox/controllers/objects/pod';
import { type ControllerRevision, type StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { templateOf } from '@/sandbox/controllers/revisions/data';
import { createClaims } from '@/sandbox/controllers/stateful-set/claims';
import { recorded } from '@/sandbox/controllers/stateful-set/events';
import {
  hasIdentity,
  identityLabels,
  memberDraft,
  ordinalOf,
  podName,
  revisionOfPod,
  startOrdinal,
} from '@/sandbox/controllers/stateful-set/pods';
import { type ChosenRevisions } from '@/sandbox/controllers/stateful-set/revisions';
import { type Counts, countPods, isRunningAndReady } from '@/sandbox/controllers/stateful-set/status';

/** A slot of the set, with its pod if it exists. */
interface PodSlot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/**
 * Moves the pods of a set one step further: missing ones are created, surplus ones deleted from the highest
 * ordinal down, outdated ones replaced from the highest ordinal down. An ordered set waits at the first
 * unavailable pod, before it replaces any. The status is written even when this fails.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet)
 */
export async function updatePods(
  manager: ControllerManager,
  set: StatefulSet,
  chosen: ChosenRevisions,
  pods: readonly Pod[],
): Promise<{ counts: Counts; failure?: Error }> {
  const now = manager.now();
  const { minReadySeconds } = set.spec;
  if (isDeleting(set)) return { counts: countPods(pods, chosen, minReadySeconds, now) };
  const { places, condemned } = sortPods(set, pods);
  const counted = [...places.flatMap(({ pod }) => pod ?? []), ...condemned];
  const counts = countPods(counted, chosen, minReadySeconds, now);
  const isUnavailable = (pod: Pod | undefined) =>
    pod === undefined || isDeleting(pod) || !isAvailable(pod, minReadySeconds, now);
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  try {
    const isReplaced = await move({ manager, set, chosen, isOrdered, isUnavailable }, places, condemned);
    const currentReplicas = counts.currentReplicas - (isReplaced ? 1 : 0);
    return { counts: { ...counts, currentReplicas: Math.max(0, currentReplicas) } };
  } catch (error) {
    return { counts, failure: asError(error) };
  }
}

/** Returns whether an outdated pod was deleted. */
async function move(
  step: UpdatePass,
  places: readonly PodSlot[],
  condemned: readonly Pod[],
): Promise<boolean> {
  const { set, isUnavailable } = step;
  if (await forAll(step, places, (place) => processPlace(step, place))) return false;
  const isWhole = places.every(({ pod }) => !isUnavailable(pod));
  const firstUnavailable = isWhole ? condemned.toReversed().find(isUnavailable) : undefined;
  if (await forAll(step, condemned, (pod) => processCondemned(step, pod, firstUnavailable))) return false;
  return set.spec.updateStrategy.type === 'OnDelete' ? false : replaceOutdated(step, places);
}

interface UpdatePass {
  readonly manager: ControllerManager;
  readonly set: StatefulSet;
  readonly chosen: ChosenRevisions;
  readonly isOrdered: boolean;
  readonly isUnavailable: (pod: Pod | undefined) => boolean;
}

/** Slots in ascending order, pods to be deleted in descending order. */
export function sortPods(set: StatefulSet, pods: readonly Pod[]): { places: PodSlot[]; condemned: Pod[] } {
  const start = startOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const places = Array.from({ length: set.spec.replicas }, (_, index) => ({
    ordinal: start + index,
    pod: byOrdinal.get(start + index),
  }));
  const condemned = pods
    .filter((pod) => ordinalOf(pod) >= 0)
    .filter((pod) => ordinalOf(pod) < start || ordinalOf(pod) >= start + set.spec.replicas)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return { places, condemned };
}

/** Returns whether the rest has to wait; a parallel set never does. */
async function forAll<T>(
  { manager, isOrdered }: Pick<UpdatePass, 'manager' | 'isOrdered'>,
  items: readonly T[],
  act: (item: T) => Promise<boolean>,
): Promise<boolean> {
  if (!isOrdered) {
    await manager.slowStart(items, act);
    return false;
  }
  for (const item of items) if (await act(item)) return true;
  return false;
}

async function processPlace(step: UpdatePass, place: PodSlot): Promise<boolean> {
  const { manager, set, isOrdered, isUnavailable } = step;
  const { pod, ordinal } = place;
  if (pod !== undefined && isTerminal(pod)) {
    if (!isDeleting(pod)) await remove(step, pod);
    return true;
  }
  if (pod === undefined) {
    await create(step, ordinal);
    return isOrdered;
  }
  if (pod.status.phase === 'Pending') await createClaims(manager, set, ordinal);
  if (isOrdered && (isDeleting(pod) || !isRunningAndReady(pod) || isUnavailable(pod))) return true;
  if (!hasIdentity(pod)) {
    const labels = identityLabels(set, ordinal);
    await recorded(manager, set, 'Update', pod.metadata.name, () => manager.pods.patch(pod, { labels }));
  }
  return false;
}

/**
 * An ordered set deletes one pod at a time, and only when all others are available; an unavailable one may be
 * deleted itself.
 */
async function processCondemned(
  step: UpdatePass,
  pod: Pod,
  firstUnavailable: Pod | undefined,
): Promise<boolean> {
  const { isOrdered, isUnavailable } = step;
  if (isDeleting(pod)) return isOrdered;
  if (isOrdered && pod !== firstUnavailable && (!isRunningAndReady(pod) || isUnavailable(pod))) return true;
  await remove(step, pod);
  return true;
}

/** Deletes the outdated pod with the highest ordinal, unless one above it is not available yet. */
async function replaceOutdated(step: UpdatePass, places: readonly PodSlot[]): Promise<boolean> {
  const { set, chosen, isUnavailable } = step;
  const partition = set.spec.updateStrategy.rollingUpdate?.partition ?? 0;
  for (const { pod } of places.slice(partition).reverse()) {
    const isOutdated = pod !== undefined && revisionOfPod(pod) !== chosen.update.metadata.name;
    if (isOutdated && !isDeleting(pod)) {
      await remove(step, pod);
      return true;
    }
    if (isUnavailable(pod)) return false;
  }
  return false;
}

async function create({ manager, set, chosen }: UpdatePass, ordinal: number): Promise<void> {
  const revision = revisionFor(set, chosen, ordinal);
  const template: PodTemplateSpec = templateOf(revision) ?? set.spec.template;
  const draft = memberDraft(set, template, revision.metadata.name, ordinal);
  await recorded(manager, set, 'Create', podName(set, ordinal), async () => {
    await createClaims(manager, set, ordinal);
    await manager.pods.create(set.metadata.namespace, draft);
  });
}

async function remove({ manager, set }: UpdatePass, pod: Pod): Promise<void> {
  await recorded(manager, set, 'Delete', pod.metadata.name, () => manager.pods.delete(pod));
}

/** Below the partition pods are recreated at the old revision. */
function revisionFor(
  set: StatefulSet,
  { current, update }: ChosenRevisions,
  ordinal: number,
): ControllerRevision {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  const index = ordinal - startOrdinal(set);
  const kept =
    rollingUpdate === undefined ? (set.status.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return type === 'RollingUpdate' && index < kept ? current : update;
}
