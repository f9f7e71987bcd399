import type { KubeObject, OwnerReference } from '@/lib/kube/object';

/** The reference by which `owner` controls another object. */
export function controllerReference(
  owner: KubeObject,
): Required<OwnerReference> & { blockOwnerDeletion: true } {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function controllerOf({ metadata }: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

export function isControlledBy(object: Pick<KubeObject, 'metadata'>, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}
