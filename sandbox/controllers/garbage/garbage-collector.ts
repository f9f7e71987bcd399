import { AppError } from '@/lib/errors';
import { type KubeObject, type OwnerReference } from '@/lib/kube/object';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

type Anything = Resource<KubeObject>;

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/**
 * Deletes objects without owners, and removes owners that are deleted with `orphan` or `foreground`.
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function runGarbageCollector(manager: ControllerManager): void {
  const lists = new Map<Anything, Worklist>();
  for (const resource of manager.resources)
    lists.set(
      resource,
      manager.register((key) => collect(manager, resource, key)),
    );
  const add = (resource: Anything, object: KubeObject) => lists.get(resource)?.add(keyOf(object));
  for (const [resource, work] of lists)
    resource.store.onChange(({ object, before }) => {
      const state = object ?? before;
      if (state === undefined) return;
      work.add(keyOf(state));
      if (object !== undefined) return;
      for (const [other, dependent] of dependentsOf(manager, state)) add(other, dependent);
      for (const reference of state.metadata.ownerReferences ?? []) {
        const owners = resourceOf(manager, reference);
        const owner = owners?.store.get(`${state.metadata.namespace ?? '-'}/${reference.name}`);
        if (owners !== undefined && owner !== undefined) add(owners, owner);
      }
    });
}

async function collect(manager: ControllerManager, resource: Anything, key: ObjectKey): Promise<void> {
  const object = resource.store.get(key);
  if (object === undefined) return;
  const finalizers = object.metadata.finalizers ?? [];
  if (isDeleting(object) && finalizers.includes(ORPHAN)) return orphan(manager, resource, object);
  if (isDeleting(object) && finalizers.includes(FOREGROUND))
    return deleteForeground(manager, resource, object);
  const references = object.metadata.ownerReferences ?? [];
  if (references.length === 0 || isDeleting(object)) return;
  for (const reference of references)
    if (!(await isGone(manager, reference, object.metadata.namespace))) return;
  await resource.delete(object);
}

/**
 * Reads from the API server, since watches of different kinds are not synchronized. Owners of unknown kinds
 * are assumed to exist.
 */
async function isGone(
  manager: ControllerManager,
  reference: OwnerReference,
  namespace: string | undefined,
): Promise<boolean> {
  const owners = resourceOf(manager, reference);
  if (owners === undefined) return false;
  const held = owners.store.get(`${namespace ?? '-'}/${reference.name}`);
  if (held?.metadata.uid === reference.uid) return false;
  try {
    const present = await owners.read(namespace, reference.name);
    return present.metadata.uid !== reference.uid;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return true;
    throw error;
  }
}

async function orphan(manager: ControllerManager, resource: Anything, owner: KubeObject): Promise<void> {
  for (const [other, dependent] of dependentsOf(manager, owner)) {
    const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid }];
    await other.patch(dependent, { ownerReferences });
  }
  await removeFinalizer(resource, owner, ORPHAN);
}

async function deleteForeground(
  manager: ControllerManager,
  resource: Anything,
  owner: KubeObject,
): Promise<void> {
  const dependents = dependentsOf(manager, owner);
  for (const [other, dependent] of dependents) if (!isDeleting(dependent)) await other.delete(dependent);
  if (dependents.length === 0) await removeFinalizer(resource, owner, FOREGROUND);
}

async function removeFinalizer(resource: Anything, object: KubeObject, finalizer: string): Promise<void> {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  try {
    const left = await resource.replace({ ...object, metadata: { ...object.metadata, finalizers } });
    if (finalizers.length === 0) resource.store.removeDeleted(left);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
}

function dependentsOf(manager: ControllerManager, { metadata }: KubeObject): [Anything, KubeObject][] {
  return manager.resources.flatMap((resource) =>
    resource.store
      .all()
      .filter((object) => object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
      .map((object): [Anything, KubeObject] => [resource, object]),
  );
}

function resourceOf(manager: ControllerManager, { apiVersion, kind }: OwnerReference): Anything | undefined {
  return manager.resources.find(({ type }) => type.apiVersion === apiVersion && type.kind === kind);
}
