import { AppError } from '@/lib/errors';
import { errorText } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type CloneSet, type CloneSetRolling } from '@/sandbox/controllers/kruise/clone-set/clone-set';
import { planOf } from '@/sandbox/controllers/kruise/clone-set/plan';
import { cloneDraft, freshIds, lifecycle, revisionLabels } from '@/sandbox/controllers/kruise/clone-set/pods';
import { changeInPlace, inPlaceChange } from '@/sandbox/controllers/kruise/shared/in-place';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';
import { templateOf } from '@/sandbox/controllers/revisions/data';
import { type ChosenRevisions } from '@/sandbox/controllers/stateful-set/revisions';

const SOURCE = { component: 'cloneset-controller' };

/** Makes the next move; the next change triggers the rest. One move never scales and updates together. */
export async function movePods(
  world: ControllerManager,
  set: CloneSet,
  rolling: CloneSetRolling,
  chosen: ChosenRevisions,
  pods: readonly Pod[],
): Promise<void> {
  const now = world.now();
  const names = { current: chosen.current.metadata.name, update: chosen.update.metadata.name };
  const { create, doomed, outdated } = planOf({ set, rolling, ...names, pods, now });
  const ids = freshIds(
    set,
    world.pods.store.inNamespace(set.metadata.namespace),
    create.current + create.update,
    now,
  );
  await world.slowStart(ids, (id) =>
    createPod(world, set, ids.indexOf(id) < create.current ? chosen.current : chosen.update, id),
  );
  await world.each(doomed, (pod) => deletePod(world, set, pod));
  for (const pod of outdated) await updatePod(world, set, rolling, chosen.update, pod);
}

async function createPod(
  world: ControllerManager,
  set: CloneSet,
  revision: ControllerRevision,
  id: string,
): Promise<void> {
  const template = templateOf(revision) ?? set.spec.template;
  const draft = cloneDraft(set, template, revision.metadata.name, id, world.now());
  const name = `${set.metadata.name}-${id}`;
  try {
    await world.pods.as('kruise-manager').create(set.metadata.namespace, draft);
    record(world, set, 'Normal', 'SuccessfulCreate', `succeed to create pod ${name}`);
  } catch (error) {
    record(world, set, 'Warning', 'FailedCreate', `failed to create pod: ${errorText(error)}, pod: ${name}`);
    throw error;
  }
}

async function deletePod(world: ControllerManager, set: CloneSet, pod: Pod): Promise<void> {
  const { name } = pod.metadata;
  try {
    if (await world.pods.delete(pod))
      record(world, set, 'Normal', 'SuccessfulDelete', `succeed to delete pod ${name}`);
  } catch (error) {
    record(world, set, 'Warning', 'FailedDelete', `failed to delete pod ${name}: ${errorText(error)}`);
    throw error;
  }
}

/** In place where the policy allows it and the two templates are similar enough, else by a new pod. */
async function updatePod(
  world: ControllerManager,
  set: CloneSet,
  { inPlace }: CloneSetRolling,
  revision: ControllerRevision,
  pod: Pod,
): Promise<void> {
  const { name } = pod.metadata;
  const change = inPlace === 'never' ? undefined : changeOf(world, set, revision, pod);
  if (change === undefined && inPlace === 'only') throw cannotChange(world, set, name);
  if (change === undefined) return deletePod(world, set, pod);
  const { labels, annotations } = lifecycle('Updating', world.now());
  const marking = { labels: { ...revisionLabels(revision.metadata.name), ...labels }, annotations };
  await changeInPlace(world, pod, change, revision.metadata.name, marking);
  const message = `successfully update pod ${name} in-place(revision ${revision.metadata.name})`;
  record(world, set, 'Normal', 'SuccessfulUpdatePodInPlace', message);
}

function changeOf(world: ControllerManager, set: CloneSet, revision: ControllerRevision, { metadata }: Pod) {
  const name = metadata.labels?.['controller-revision-hash'];
  const key = `${set.metadata.namespace ?? '-'}/${name ?? ''}`;
  const [from, to] = [world.revisions.store.get(key), revision].map((one) => one && templateOf(one));
  return from === undefined || to === undefined ? undefined : inPlaceChange(from, to);
}

function cannotChange(world: ControllerManager, set: CloneSet, pod: string): AppError {
  const message = `find Pod ${pod} update strategy is InPlaceOnly but can not update in-place`;
  record(world, set, 'Warning', 'FailedUpdatePodInPlace', message);
  return new AppError('conflict', message);
}

function record(
  world: ControllerManager,
  set: CloneSet,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  world.events.record({ about: set, type, reason, message, source: SOURCE });
}
