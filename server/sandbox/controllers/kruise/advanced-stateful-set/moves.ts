import { AppError } from '@/lib/errors';
import { type World } from '@/server/sandbox/controllers/engine/world';
import {
  type AdvancedRolling,
  type AdvancedStatefulSet,
  rollingOf,
} from '@/server/sandbox/controllers/kruise/advanced-stateful-set/advanced-stateful-set';
import {
  isKept,
  type Place,
  podsInTurn,
  sortPods,
} from '@/server/sandbox/controllers/kruise/advanced-stateful-set/places';
import {
  changeInPlace,
  inPlaceChange,
  type InPlaceChange,
  isServing,
  withGate,
} from '@/server/sandbox/controllers/kruise/in-place';
import { isDeleting, isTerminal, type Pod, type Template } from '@/server/sandbox/controllers/objects/pod';
import { templateOf } from '@/server/sandbox/controllers/revisions/data';
import { createClaims } from '@/server/sandbox/controllers/stateful-set/claims';
import { recorded } from '@/server/sandbox/controllers/stateful-set/events';
import {
  hasIdentity,
  identityLabels,
  memberDraft,
  podName,
  revisionOfPod,
} from '@/server/sandbox/controllers/stateful-set/pods';
import { type ChosenRevisions } from '@/server/sandbox/controllers/stateful-set/revisions';
import { isRunningAndReady } from '@/server/sandbox/controllers/stateful-set/status';

const REVISION_LABEL = 'controller-revision-hash';

interface Step {
  readonly world: World;
  readonly set: AdvancedStatefulSet;
  readonly rolling: AdvancedRolling;
  readonly chosen: ChosenRevisions;
  readonly places: readonly Place[];
  readonly isOrdered: boolean;
  readonly isUnavailable: (pod: Pod | undefined) => boolean;
}

/**
 * Moves the pods of a set one step on: missing ones are created, surplus ones deleted from the highest ordinal down,
 * outdated ones updated in their turn. An ordered set waits at the first pod that does not serve.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet)
 */
export async function movePods(
  world: World,
  set: AdvancedStatefulSet,
  chosen: ChosenRevisions,
  pods: readonly Pod[],
): Promise<void> {
  const { places, condemned } = sortPods(set, pods);
  const isUnavailable = (pod: Pod | undefined) =>
    pod === undefined || isDeleting(pod) || !isServing(pod, set.spec.minReadySeconds, world.now());
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const step = { world, set, rolling: rollingOf(set), chosen, places, isOrdered, isUnavailable };
  if (await forAll(step, places, (place) => fill(step, place))) return;
  const isWhole = places.every(({ pod }) => !isUnavailable(pod));
  const firstUnavailable = isWhole ? condemned.toReversed().find(isUnavailable) : undefined;
  if (await forAll(step, condemned, (pod) => condemn(step, pod, firstUnavailable))) return;
  if (!step.rolling.isOnDelete && !step.rolling.isPaused) await updateOutdated(step);
}

/** Says whether the rest has to wait; a parallel set never does. */
async function forAll<T>(
  { world, isOrdered }: Step,
  items: readonly T[],
  act: (item: T) => Promise<boolean>,
): Promise<boolean> {
  if (!isOrdered) {
    await world.slowStart(items, act);
    return false;
  }
  for (const item of items) if (await act(item)) return true;
  return false;
}

async function fill(step: Step, place: Place): Promise<boolean> {
  const { world, set, isOrdered, isUnavailable } = step;
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
    await recorded(world, set, 'Update', pod.metadata.name, () => world.pods.patch(pod, { labels }));
  }
  return false;
}

/** An ordered set takes away one pod at a time, and only when the others are fine; the one that is not may go itself. */
async function condemn(step: Step, pod: Pod, firstUnavailable: Pod | undefined): Promise<boolean> {
  const { isOrdered, isUnavailable } = step;
  if (isDeleting(pod)) return isOrdered;
  if (isOrdered && pod !== firstUnavailable && isUnavailable(pod)) return true;
  await remove(step, pod);
  return true;
}

/** One that is unavailable already may be updated at any time, others as long as few enough are. */
async function updateOutdated(step: Step): Promise<void> {
  const { chosen, rolling, places, isUnavailable } = step;
  const update = chosen.update.metadata.name;
  let unavailable = places.filter(({ pod }) => isUnavailable(pod)).length;
  for (const pod of podsInTurn(rolling, places, update)) {
    if (revisionOfPod(pod) === update || isDeleting(pod)) continue;
    if (!isUnavailable(pod)) {
      if (unavailable >= rolling.unavailable) continue;
      unavailable += 1;
    }
    await updatePod(step, pod);
  }
}

async function updatePod(step: Step, pod: Pod): Promise<void> {
  const { world, set, rolling, chosen } = step;
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
  await recorded(world, set, 'Update', name, () => changeInPlace(world, pod, change, revision, { labels }));
}

function changeOf({ world, set, chosen }: Step, pod: Pod): InPlaceChange | undefined {
  const present = world.revisions.store.get(`${set.metadata.namespace ?? '-'}/${revisionOfPod(pod)}`);
  const from = present === undefined ? undefined : templateOf(present);
  const to = templateOf(chosen.update);
  return from === undefined || to === undefined ? undefined : inPlaceChange(from, to);
}

async function create({ world, set, rolling, chosen, places }: Step, place: Place): Promise<void> {
  const { ordinal } = place;
  const revision = isKept(rolling, places, place, chosen.update.metadata.name)
    ? chosen.current
    : chosen.update;
  const template: Template = templateOf(revision) ?? set.spec.template;
  const gated = rolling.inPlace === 'never' ? template : { ...template, spec: withGate(template.spec) };
  const draft = memberDraft(set, gated, revision.metadata.name, ordinal);
  await recorded(world, set, 'Create', podName(set, ordinal), async () => {
    await createClaims(world, set, ordinal);
    await world.pods.as('kruise-manager').create(set.metadata.namespace, draft);
  });
}

async function remove({ world, set }: Step, pod: Pod): Promise<void> {
  await recorded(world, set, 'Delete', pod.metadata.name, () => world.pods.delete(pod));
}
