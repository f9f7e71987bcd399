import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { controllerOf, type KubeObject } from '@/lib/kube/object';
import { objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type CustomKind } from '@/sandbox/controllers/engine/custom-kind';

/**
 * Simulates ApplicationSets with a list generator: creates their Applications, and puts their sync policies back unless
 * told to leave them alone. https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/
 */
export function runApplicationSets(manager: ControllerManager): void {
  const sets = manager.follow<KubeObject>('applicationsets.argoproj.io');
  const applications = manager.follow<KubeObject>('applications.argoproj.io');
  const work = manager.register((key) => sync(sets, applications, key));
  sets.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
  applications.onChange(({ object, before }) => {
    const { ownerReferences, namespace = '' } = (object ?? before)?.metadata ?? {};
    const owner = controllerOf(ownerReferences);
    if (owner?.kind === 'ApplicationSet') work.add(`${namespace}/${owner.name}`);
  });
}

async function sync(
  sets: CustomKind<KubeObject>,
  applications: CustomKind<KubeObject>,
  key: ObjectKey,
): Promise<void> {
  const resource = applications.resource?.as('argocd-applicationset-controller');
  const set = sets.resource?.store.get(key);
  if (resource === undefined || set === undefined) return;
  const { apiVersion, kind, metadata } = set;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  for (const element of objectsAt(set.spec, 'generators').flatMap((each) =>
    objectsAt(each, 'list', 'elements'),
  )) {
    const { metadata: named, spec } = generated(set, element);
    const present = resource.store.get(`${metadata.namespace ?? ''}/${textAt(named, 'name') ?? ''}`);
    const syncPolicy = valueAt(spec, 'syncPolicy') ?? {};
    if (present === undefined)
      await resource.create(metadata.namespace, { metadata: { ...named, ownerReferences: [owner] }, spec });
    else if (!leavesSyncPolicy(set) && !deepEqual(present.spec?.syncPolicy, syncPolicy))
      await resource.replace({ ...present, spec: { ...present.spec, syncPolicy } });
  }
}

function generated({ spec }: KubeObject, element: JsonObject): { metadata: JsonObject; spec: JsonObject } {
  const text = JSON.stringify(objectAt(spec, 'template')).replaceAll(
    /\{\{(\w+)\}\}/g,
    (_, name: string) => textAt(element, name) ?? '',
  );
  return JSON.parse(text) as { metadata: JsonObject; spec: JsonObject };
}

function leavesSyncPolicy({ spec }: KubeObject): boolean {
  return objectsAt(spec, 'ignoreApplicationDifferences').some(({ jsonPointers }) =>
    JSON.stringify(jsonPointers ?? []).includes('"/spec/syncPolicy"'),
  );
}
