import { AppError } from '@/lib/errors';
import { type KubeObject } from '@/lib/kube/object';
import { matchesSelector, type Selector } from '@/lib/kube/selector';
import { isNotFound, type Resource } from '@/sandbox/controllers/engine/resource';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { controllerOf, controllerReference } from '@/sandbox/controllers/objects/owner';

export interface OwnerClaim<Owner extends KubeObject, T extends KubeObject> {
  readonly owner: Owner;
  readonly owners: Resource<Owner>;
  /** Labels that an object must have to belong to the owner. */
  readonly selector: Selector;
  readonly resource: Resource<T>;
  readonly candidates: readonly T[];
  /** Further conditions for it. */
  readonly matches?: (object: T) => boolean;
}

/**
 * The candidates that belong to the owner: its own that still match, and orphans that match, which are adopted. Own
 * ones that no longer match are released.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_ref_manager.go
 */
export async function claim<Owner extends KubeObject, T extends KubeObject>(
  input: OwnerClaim<Owner, T>,
): Promise<T[]> {
  const { owner, selector, candidates } = input;
  const claimed: T[] = [];
  let confirmed: Promise<void> | undefined;
  for (const object of candidates) {
    const isMatch =
      matchesSelector(selector, object.metadata.labels ?? {}) && (input.matches?.(object) ?? true);
    const controller = controllerOf(object);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (isMatch) claimed.push(object);
      else if (!isDeleting(owner)) await release(input, object);
    } else if (isMatch && !isDeleting(owner) && !isDeleting(object)) {
      await (confirmed ??= confirmOwner(input));
      const adopted = await adopt(input, object);
      if (adopted !== undefined) claimed.push(adopted);
    }
  }
  return claimed;
}

/** Reads from the API server itself, since an owner that is being deleted must not adopt anything. */
export async function confirmOwner<Owner extends KubeObject>({
  owner,
  owners,
}: Pick<OwnerClaim<Owner, KubeObject>, 'owner' | 'owners'>): Promise<void> {
  const { namespace, name, uid } = owner.metadata;
  const fresh = await owners.read(namespace, name);
  if (fresh.metadata.uid !== uid || isDeleting(fresh))
    throw new AppError('conflict', `${owner.kind} ${name} is being deleted and adopts nothing.`);
}

/** Undefined when the object was deleted meanwhile. */
export async function adopt<T extends KubeObject>(
  { owner, resource }: { owner: KubeObject; resource: Resource<T> },
  object: T,
): Promise<T | undefined> {
  try {
    return await resource.patch(object, { ownerReferences: [controllerReference(owner)] });
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function release<T extends KubeObject>(
  { owner, resource }: { owner: KubeObject; resource: Resource<T> },
  object: T,
): Promise<void> {
  try {
    await resource.patch(object, { ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }] });
  } catch (error) {
    const isInvalid = error instanceof AppError && error.details.status === 422;
    if (!isNotFound(error) && !isInvalid) throw error;
  }
}
