import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { controllerOf } from '@/sandbox/controllers/objects/owner';

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
