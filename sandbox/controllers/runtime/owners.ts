import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import { isNotFound, type Resource } from '@/sandbox/controllers/runtime/resource';
import { controllerOf, controllerReference } from '@/sandbox/controllers/objects/owner';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

interface Selecting extends KubeObject {
  spec: JsonObject & { selector: JsonObject };
}

/**
 * The owners that a change of an object concerns: the owner that controls it now, the previous one, and for
 * an orphan every one whose selector matches it.
 */
export function ownersConcerned<Owner extends Selecting>(
  owners: Resource<Owner>,
  { object, before }: ObjectChange<KubeObject>,
): ObjectKey[] {
  const keys = new Set<ObjectKey>();
  for (const state of [object, before]) {
    const key = state === undefined ? undefined : ownerKey(owners, state);
    if (key !== undefined) keys.add(key);
  }
  if (object !== undefined && controllerOf(object) === undefined)
    for (const owner of selecting(owners, object)) keys.add(keyOf(owner));
  return [...keys];
}

/** Key of the controlling owner if it is of this kind and still exists. */
export function ownerKey<Owner extends KubeObject>(
  owners: Resource<Owner>,
  object: KubeObject,
): ObjectKey | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== owners.type.kind) return undefined;
  const key = `${object.metadata.namespace ?? '-'}/${reference.name}`;
  return owners.store.get(key)?.metadata.uid === reference.uid ? key : undefined;
}

function selecting<Owner extends Selecting>(owners: Resource<Owner>, object: KubeObject): Owner[] {
  const labels = object.metadata.labels ?? {};
  return owners.store.inNamespace(object.metadata.namespace).filter(({ spec }) => {
    const selector = parseLabelSelector(spec.selector);
    return selector.length > 0 && matchesSelector(selector, labels);
  });
}

interface OwnerClaim<Owner extends Selecting, T extends KubeObject> {
  readonly owner: Owner;
  readonly owners: Resource<Owner>;
  readonly resource: Resource<T>;
  /** All of the owner's namespace by default. */
  readonly candidates?: readonly T[];
  /** Conditions next to the owner's selector. */
  readonly matches?: (object: T) => boolean;
}

/**
 * The candidates that belong to the owner: its own that still match, and orphans that match, which are adopted. Own
 * ones that no longer match are released.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_ref_manager.go
 */
export async function claim<Owner extends Selecting, T extends KubeObject>({
  owner,
  owners,
  resource,
  candidates = resource.store.inNamespace(owner.metadata.namespace),
  matches = () => true,
}: OwnerClaim<Owner, T>): Promise<T[]> {
  const selector = parseLabelSelector(owner.spec.selector);
  const claimed: T[] = [];
  let confirmed: Promise<void> | undefined;
  for (const object of candidates) {
    const isMatch = matchesSelector(selector, object.metadata.labels ?? {}) && matches(object);
    const controller = controllerOf(object);
    if (controller !== undefined && controller.uid !== owner.metadata.uid) continue;
    if (controller !== undefined && isMatch) claimed.push(object);
    if (isDeleting(owner)) continue;
    if (controller !== undefined && !isMatch)
      await setOwner(resource, object, { $patch: 'delete', uid: owner.metadata.uid });
    if (controller === undefined && isMatch && !isDeleting(object)) {
      await (confirmed ??= confirmOwner(owner, owners));
      const adopted = await setOwner(resource, object, controllerReference(owner));
      if (adopted !== undefined) claimed.push(adopted);
    }
  }
  return claimed;
}

/** Reads from the API server itself, since an owner that is being deleted must not adopt anything. */
async function confirmOwner<Owner extends KubeObject>(owner: Owner, owners: Resource<Owner>): Promise<void> {
  const { namespace, name, uid } = owner.metadata;
  const fresh = await owners.read(namespace, name);
  if (fresh.metadata.uid !== uid || isDeleting(fresh))
    throw new AppError('conflict', `${owner.kind} ${name} is being deleted and adopts nothing.`);
}

/** Undefined when the object was deleted meanwhile. */
async function setOwner<T extends KubeObject>(
  resource: Resource<T>,
  object: T,
  reference: JsonObject,
): Promise<T | undefined> {
  try {
    return await resource.patch(object, { ownerReferences: [reference] });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
