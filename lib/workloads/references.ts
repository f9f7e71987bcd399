import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { type Template } from '@/lib/history/workload';

export type ReferenceKind = 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim' | 'ServiceAccount';

/** An object that the pods of a template need by name. */
export interface Reference {
  kind: ReferenceKind;
  name: string;
  use: 'required' | 'optional' | 'pull';
}

/** Everything that the template refers to by name, once each; required where any reference requires it. */
export function referencesOf(template: Template): Reference[] {
  const references = new Map<string, Reference>();
  const add = (kind: ReferenceKind, name: string | undefined, use: Reference['use']) => {
    if (name === undefined || name === '') return;
    const key = `${kind}/${name}`;
    if (references.get(key)?.use !== 'required') references.set(key, { kind, name, use });
  };
  for (const podTemplate of podTemplatesOf(template))
    addFromPod(objectAt(podTemplate.template, 'spec') ?? {}, add);
  return [...references.values()];
}

type Add = (kind: ReferenceKind, name: string | undefined, use: Reference['use']) => void;

function addFromPod(spec: JsonObject, add: Add): void {
  for (const list of ['initContainers', 'containers']) {
    for (const container of objectsAt(spec, list)) addFromContainer(container, add);
  }
  for (const volume of objectsAt(spec, 'volumes')) addFromVolume(volume, add);
  for (const secret of objectsAt(spec, 'imagePullSecrets')) add('Secret', textAt(secret, 'name'), 'pull');
  const account = textAt(spec, 'serviceAccountName');
  // Every namespace gets its default account by itself.
  if (account !== 'default') add('ServiceAccount', account, 'required');
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
  }
  add('Secret', textAt(volume, 'csi', 'nodePublishSecretRef', 'name'), 'required');
}

function addRef(kind: ReferenceKind, reference: Json | undefined, member: string, add: Add): void {
  if (!isJsonObject(reference)) return;
  add(kind, textAt(reference, member), reference.optional === true ? 'optional' : 'required');
}
