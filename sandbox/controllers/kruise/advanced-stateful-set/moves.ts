import { AppError } from '@/lib/errors';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type AdvancedRolling,
  type AdvancedStatefulSet,
  rollingOf,
} from '@/sandbox/controllers/kruise/advanced-stateful-set/advanced-stateful-set';
import {
  isKept,
  type IndexedPodSlot,
  orderPodsForUpdate,
  sortPods,
} from '@/sandbox/controllers/kruise/advanced-stateful-set/pod-slots';
import {
  changeInPlace,
  inPlaceChange,
  type InPlaceChange,
  isServing,
  withGate,
} from '@/sandbox/controllers/kruise/shared/in-place';
import { isDeleting, isTerminal, type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { templateOf } from '@/sandbox/controllers/revisions/data';
import { createClaims } from '@/sandbox/controllers/stateful-set/claims';
import { recorded } from '@/sandbox/controllers/stateful-set/events';
import {
  hasIdentity,
  identityLabels,
  memberDraft,
  podName,
  revisionOfPod,
} from '@/sandbox/controllers/stateful-set/pods';
import { type ChosenRevisions } from '@/sandbox/controllers/stateful-set/revisions';
import { isRunningAndReady } from '@/sandbox/controllers/stateful-set/status';
import { forAll, remove } from '@/sandbox/controllers/stateful-set/update';

const REVISION_LABEL = 'controller-revision-hash';

interface UpdatePass {
  readonly manager: ControllerManager;
  readonly set: AdvancedStatefulSet;
  readonly rolling: AdvancedRolling;
  readonly chosen: ChosenRevisions;
  readonly places: readonly IndexedPodSlot[];
  readonly isOrdered: boolean;
  readonly isUnavailable: (pod: Pod | undefined) => boolean;
}

/**
 * Moves the pods of a set one step further: missing ones are created, surplus ones deleted from the highest
 * ordinal down, outdated ones updated in order. An ordered set waits at the first unavailable pod.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet)
 */
export async function movePods(
  manager: ControllerManager,
  set: AdvancedStatefulSet,
  chosen: ChosenRevisions,
  pods: readonly Pod[],
): Promise<void> {
  const { places, condemned } = sortPods(set, pods);
  const isUnavailable = (pod: Pod | undefined) =>
    pod === undefined || isDeleting(pod) || !isServing(pod, set.spec.minReadySeconds, manager.now());
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const step = { manager, set, rolling: rollingOf(set), chosen, places, isOrdered, isUnavailable };
  if (await forAll(step, places, (place) => fill(step, place))) return;
  const isWhole = places.every(({ pod }) => !isUnavailable(pod));
  const firstUnavailable = isWhole ? condemned.toReversed().find(isUnavailable) : undefined;
  if (await forAll(step, condemned, (pod) => condemn(step, pod, firstUnavailable))) return;
  if (!step.rolling.isOnDelete && !step.rolling.isPaused) await updateOutdated(step);
}

async function fill(step: UpdatePass, place: IndexedPodSlot): Promise<boolean> {
  const { manager, set, isOrdered, isUnavailable } = step;
  const { pod, ordinal } = place;
  if (pod !== undefined && isTerminal(pod)) {
    if (!isDeleting(pod)) await remove(step, pod);
    return true;
  }
  if (pod === undefined) {
    await create(step, place);
    return isOrdered;
  }
  if (isOrdered && (!isRunningAndReady(pod) || isUnavailable(pod))) return true;
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
async function condemn(step: UpdatePass, pod: Pod, firstUnavailable: Pod | undefined): Promise<boolean> {
  const { isOrdered, isUnavailable } = step;
  if (isDeleting(pod)) return isOrdered;
  if (isOrdered && pod !== firstUnavailable && isUnavailable(pod)) return true;
  await remove(step, pod);
  return true;
}

/** An unavailable pod may be updated at any time, others within the limit. */
async function updateOutdated(step: UpdatePass): Promise<void> {
  const { chosen, rolling, places, isUnavailable } = step;
  const update = chosen.update.metadata.name;
  let unavailable = places.filter(({ pod }) => isUnavailable(pod)).length;
  for (const pod of orderPodsForUpdate(rolling, places, update)) {
    if (revisionOfPod(pod) === update || isDeleting(pod)) continue;
    if (!isUnavailable(pod)) {
      if (unavailable >= rolling.unavailable) continue;
      unavailable += 1;
    }
    await updatePod(step, pod);
  }
}

async function updatePod(step: UpdatePass, pod: Pod): Promise<void> {
  const { manager, set, rolling, chosen } = step;
  const { name } = pod.metadata;
  const change = rolling.inPlace === 'never' ? undefined : changeOf(step, pod);
  if (change === undefined && rolling.inPlace === 'only')
    throw new AppError(
      'conflict',
      `Pod ${name} of StatefulSet ${set.metadata.name} cannot be updated in place.`,
    );
  if (change === undefined) return remove(step, pod);
  const revision = chosen.update.metadata.name;
  const labels = { [REVISION_LABEL]: revision };
  await recorded(manager, set, 'Update', name, () =>
    changeInPlace(manager, pod, change, revision, { labels }),
  );
}

function changeOf({ manager, set, chosen }: UpdatePass, pod: Pod): InPlaceChange | undefined {
  const present = manager.revisions.store.get(`${set.metadata.namespace ?? '-'}/${revisionOfPod(pod)}`);
  const from = present === undefined ? undefined : templateOf(present);
  const to = templateOf(chosen.update);
  return from === undefined || to === undefined ? undefined : inPlaceChange(from, to);
}

async function create(
  { manager, set, rolling, chosen, places }: UpdatePass,
  place: IndexedPodSlot,
): Promise<void> {
  const { ordinal } = place;
  const revision = isKept(rolling, places, place, chosen.update.metadata.name)
    ? chosen.current
    : chosen.update;
  const template: PodTemplateSpec = templateOf(revision) ?? set.spec.template;
  const gated = rolling.inPlace === 'never' ? template : { ...template, spec: withGate(template.spec) };
  const draft = memberDraft(set, gated, revision.metadata.name, ordinal);
  await recorded(manager, set, 'Create', podName(set, ordinal), async () => {
    await createClaims(manager, set, ordinal);
    await manager.pods.as('kruise-manager').create(set.metadata.namespace, draft);
  });
}
