import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { Template } from '@/lib/history/workload';

export type ReferenceKind =
  | 'ConfigMap'
  | 'Secret'
  | 'PersistentVolumeClaim'
  | 'ServiceAccount'
  | 'PriorityClass'
  | 'RuntimeClass'
  | 'ResourceClaim'
  | 'ResourceClaimTemplate'
  | 'StorageClass'
  | 'VolumeAttributesClass'
  | 'ClusterTrustBundle';

type Use = 'required' | 'optional' | 'pull';

/** An object that the pods of a template need by name. */
export interface Reference {
  kind: ReferenceKind;
  name: string;
  use: Use;
  /** The keys of a ConfigMap or Secret that the template names; required where any use of the key requires it. */
  keys: Map<string, Use>;
}

/** Everything that the template refers to by name, once each; required where any reference requires it. */
export function referencesOf(template: Template): Reference[] {
  const references = new Map<string, Reference>();
  const add: Add = (kind, name, use = 'required', keys = []) => {
    if (name === undefined || name === '') return;
    const reference = references.get(`${kind}/${name}`) ?? { kind, name, use, keys: new Map<string, Use>() };
    if (reference.use !== 'required') reference.use = use;
    for (const key of keys) if (reference.keys.get(key) !== 'required') reference.keys.set(key, use);
    references.set(`${kind}/${name}`, reference);
  };
  for (const spec of podSpecsOf(template)) addFromPod(spec, add);
  return [...references.values()];
}

/** The images that volumes mount, which a node pulls as those of containers. */
export function volumeImagesOf(template: Template): string[] {
  return podSpecsOf(template)
    .flatMap((spec) => objectsAt(spec, 'volumes'))
    .flatMap((volume) => textAt(volume, 'image', 'reference') || []);
}

/**
 * Variables whose value a container reads from a file that another one writes, without those that are optional: no object
 * of the cluster has it. https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-via-file/
 */
export function variablesFromFiles(template: Template): string[] {
  const containers = podSpecsOf(template).flatMap(containersOf);
  const variables = containers.flatMap((container) => objectsAt(container, 'env'));
  return variables.flatMap((variable) => {
    const file = objectAt(variable, 'valueFrom', 'fileKeyRef');
    return file === undefined || file.optional === true ? [] : [textAt(variable, 'name') ?? ''];
  });
}

type Add = (kind: ReferenceKind, name: string | undefined, use?: Use, keys?: readonly string[]) => void;

function podSpecsOf(template: Template): JsonObject[] {
  return podTemplatesOf(template).map((part) => objectAt(part.template, 'spec') ?? {});
}

function containersOf(spec: JsonObject): JsonObject[] {
  return ['initContainers', 'containers'].flatMap((list) => objectsAt(spec, list));
}

function addFromPod(spec: JsonObject, add: Add): void {
  for (const container of containersOf(spec)) addFromContainer(container, add);
  for (const volume of objectsAt(spec, 'volumes')) addFromVolume(volume, add);
  for (const secret of objectsAt(spec, 'imagePullSecrets')) add('Secret', textAt(secret, 'name'), 'pull');
  const account = textAt(spec, 'serviceAccountName');
  // Every namespace gets its default account by itself.
  if (account !== 'default') add('ServiceAccount', account);
  add('PriorityClass', textAt(spec, 'priorityClassName'));
  add('RuntimeClass', textAt(spec, 'runtimeClassName'));
  for (const claim of objectsAt(spec, 'resourceClaims')) {
    add('ResourceClaim', textAt(claim, 'resourceClaimName'));
    add('ResourceClaimTemplate', textAt(claim, 'resourceClaimTemplateName'));
  }
}

function addFromContainer(container: JsonObject, add: Add): void {
  for (const variable of objectsAt(container, 'env')) {
    const { configMapKeyRef, secretKeyRef } = objectAt(variable, 'valueFrom') ?? {};
    addRef('ConfigMap', configMapKeyRef, 'name', add);
    addRef('Secret', secretKeyRef, 'name', add);
  }
  for (const { configMapRef, secretRef } of objectsAt(container, 'envFrom')) {
    addRef('ConfigMap', configMapRef, 'name', add);
    addRef('Secret', secretRef, 'name', add);
  }
}

function addFromVolume(volume: JsonObject, add: Add): void {
  addRef('ConfigMap', volume.configMap, 'name', add);
  addRef('Secret', volume.secret, 'secretName', add);
  addRef('PersistentVolumeClaim', volume.persistentVolumeClaim, 'claimName', add);
  for (const source of objectsAt(volume, 'projected', 'sources')) {
    addRef('ConfigMap', source.configMap, 'name', add);
    addRef('Secret', source.secret, 'name', add);
    addRef('ClusterTrustBundle', source.clusterTrustBundle, 'name', add);
  }
  add('Secret', textAt(volume, 'csi', 'nodePublishSecretRef', 'name'));
  add('Secret', textAt(volume, 'azureFile', 'secretName'));
  // The credentials of drivers that were once part of Kubernetes: iSCSI, RBD, CephFS, ScaleIO, FlexVolume.
  for (const source of Object.values(volume)) add('Secret', textAt(source, 'secretRef', 'name'));
  const claim = objectAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
  add('StorageClass', textAt(claim, 'storageClassName'));
  add('VolumeAttributesClass', textAt(claim, 'volumeAttributesClassName'));
}

/** A reference with the keys that it names: one in a variable, the `items` of a volume. */
function addRef(kind: ReferenceKind, reference: Json | undefined, member: string, add: Add): void {
  if (!isJsonObject(reference)) return;
  const keys = [reference, ...objectsAt(reference, 'items')].flatMap((named) => textAt(named, 'key') ?? []);
  add(kind, textAt(reference, member), reference.optional === true ? 'optional' : 'required', keys);
}
