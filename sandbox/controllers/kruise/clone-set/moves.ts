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
  manager: ControllerManager,
  set: CloneSet,
  rolling: CloneSetRolling,
  chosen: ChosenRevisions,
  pods: readonly Pod[],
): Promise<void> {
  const now = manager.now();
  const names = { current: chosen.current.metadata.name, update: chosen.update.metadata.name };
  const { create, removed, outdated } = planOf({ set, rolling, ...names, pods, now });
  const ids = freshIds(
    set,
    manager.pods.store.inNamespace(set.metadata.namespace),
    create.current + create.update,
    now,
  );
  await manager.slowStart(ids, (id) =>
    createPod(manager, set, ids.indexOf(id) < create.current ? chosen.current : chosen.update, id),
  );
  await manager.each(removed, (pod) => deletePod(manager, set, pod));
  for (const pod of outdated) await updatePod(manager, set, rolling, chosen.update, pod);
}

async function createPod(
  manager: ControllerManager,
  set: CloneSet,
  revision: ControllerRevision,
  id: string,
): Promise<void> {
  const template = templateOf(revision) ?? set.spec.template;
  const draft = cloneDraft(set, template, revision.metadata.name, id, manager.now());
  const name = `${set.metadata.name}-${id}`;
  try {
    await manager.pods.as('kruise-manager').create(set.metadata.namespace, draft);
    record(manager, set, 'Normal', 'SuccessfulCreate', `succeed to create pod ${name}`);
  } catch (error) {
    record(
      manager,
      set,
      'Warning',
      'FailedCreate',
      `failed to create pod: ${errorText(error)}, pod: ${name}`,
    );
    throw error;
  }
}

async function deletePod(manager: ControllerManager, set: CloneSet, pod: Pod): Promise<void> {
  const { name } = pod.metadata;
  try {
    if (await manager.pods.delete(pod))
      record(manager, set, 'Normal', 'SuccessfulDelete', `succeed to delete pod ${name}`);
  } catch (error) {
    record(manager, set, 'Warning', 'FailedDelete', `failed to delete pod ${name}: ${errorText(error)}`);
    throw error;
  }
}

/** In place where the policy allows it and the two templates are similar enough, else by a new pod. */
async function updatePod(
  manager: ControllerManager,
  set: CloneSet,
  { inPlace }: CloneSetRolling,
  revision: ControllerRevision,
  pod: Pod,
): Promise<void> {
  const { name } = pod.metadata;
  const change = inPlace === 'never' ? undefined : changeOf(manager, set, revision, pod);
  if (change === undefined && inPlace === 'only') throw cannotChange(manager, set, name);
  if (change === undefined) return deletePod(manager, set, pod);
  const { labels, annotations } = lifecycle('Updating', manager.now());
  const marking = { labels: { ...revisionLabels(revision.metadata.name), ...labels }, annotations };
  await changeInPlace(manager, pod, change, revision.metadata.name, marking);
  const message = `successfully update pod ${name} in-place(revision ${revision.metadata.name})`;
  record(manager, set, 'Normal', 'SuccessfulUpdatePodInPlace', message);
}

function changeOf(
  manager: ControllerManager,
  set: CloneSet,
  revision: ControllerRevision,
  { metadata }: Pod,
) {
  const name = metadata.labels?.['controller-revision-hash'];
  const key = `${set.metadata.namespace ?? '-'}/${name ?? ''}`;
  const [from, to] = [manager.revisions.store.get(key), revision].map((one) => one && templateOf(one));
  return from === undefined || to === undefined ? undefined : inPlaceChange(from, to);
}

function cannotChange(manager: ControllerManager, set: CloneSet, pod: string): AppError {
  const message = `find Pod ${pod} update strategy is InPlaceOnly but can not update in-place`;
  record(manager, set, 'Warning', 'FailedUpdatePodInPlace', message);
  return new AppError('conflict', message);
}

function record(
  manager: ControllerManager,
  set: CloneSet,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  manager.events.record({ about: set, type, reason, message, source: SOURCE });
}
