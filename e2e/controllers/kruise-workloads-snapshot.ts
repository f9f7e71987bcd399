import { type KubeClient } from '@/e2e/controlplane/kube-client';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { conditionAt, objectsAt } from '@/lib/workloads/read';

/** Where the workloads of OpenKruise are. */
export const KRUISE_WORKLOADS = ['clonesets', 'statefulsets', 'daemonsets'].map(
  (plural) => `/apis/apps.kruise.io/v1beta1/${plural}`,
);

/** Members that say when or where, or count writes of others. */
const DROPPED = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
  'nodeName',
  'apps.kruise.io/cloneset-instance-id',
]);

/**
 * Workloads, revisions and pods of a namespace, in a form in which two clusters that did the same have the same: hashes
 * come from the templates alone, but some pods are named by chance.
 */
export async function takeKruiseSnapshot(client: KubeClient, namespace: string): Promise<JsonObject> {
  const list = async (collection: string): Promise<KubeObject[]> => {
    const cut = collection.lastIndexOf('/');
    const path = `${collection.slice(0, cut)}/namespaces/${namespace}${collection.slice(cut)}`;
    return (await client.list(path)).items as object[] as KubeObject[];
  };
  const workloads = (await Promise.all(KRUISE_WORKLOADS.map(list))).flat();
  const revisions = await list('/apis/apps/v1/controllerrevisions');
  const pods = await list('/api/v1/pods');
  return {
    workloads: workloads.map(plain),
    revisions: revisions.map(plain).sort(byText),
    pods: pods
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(plainPod)
      .sort(byText),
  };
}

function plain(object: KubeObject): Json {
  return strip({ ...object } as object as JsonObject);
}

function plainPod(pod: KubeObject): Json {
  const owner = pod.metadata.ownerReferences?.[0];
  const isNumbered = owner?.kind === 'StatefulSet';
  const { generation: _generation, ...metadata } = { generation: 0, ...pod.metadata };
  const spec = JSON.parse(JSON.stringify(pod.spec).replace(/"worker-\d"/g, '"some node"')) as JsonObject;
  const told = {
    isReady: conditionAt(pod.status, 'Ready')?.status ?? '',
    gate: conditionAt(pod.status, 'InPlaceUpdateReady')?.status ?? '',
    images: objectsAt(pod.status, 'containerStatuses').map(({ image }) => image ?? null),
  };
  const name = isNumbered ? metadata.name : `${owner?.name ?? ''}-?`;
  return strip({ metadata: { ...metadata, name } as object as JsonObject, spec, status: told });
}

function strip(value: Json): Json {
  if (typeof value === 'string') {
    return value
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'some time')
      .replaceAll(/(pods "[a-z-]+)-[a-z0-9]{5}"/g, '$1-?"');
  }
  if (Array.isArray(value)) return value.map(strip);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, strip(member ?? null)]));
}

function byText(a: Json, b: Json): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1;
}
