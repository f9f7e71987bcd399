import { type KubeClient } from '@/e2e/controlplane/kube-client';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { conditionAt, objectsAt } from '@/lib/kube/read';

/** Collections of the workloads of OpenKruise. */
export const KRUISE_WORKLOADS = ['clonesets', 'statefulsets', 'daemonsets'].map(
  (plural) => `/apis/apps.kruise.io/v1beta1/${plural}`,
);

/** Members that contain times or locations, or count writes. */
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
 * Workloads, revisions and pods of a namespace in a normal form, equal for two clusters with the same actions: hashes
 * depend on the templates alone, but some pods have random names.
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
  const facts = {
    isReady: conditionAt(pod.status, 'Ready')?.status ?? '',
    gate: conditionAt(pod.status, 'InPlaceUpdateReady')?.status ?? '',
    images: objectsAt(pod.status, 'containerStatuses').map(({ image }) => image ?? null),
  };
  const name = isNumbered ? metadata.name : `${owner?.name ?? ''}-?`;
  return strip({ metadata: { ...metadata, name } as object as JsonObject, spec, status: facts });
}

function strip(value: Json): Json {
  if (typeof value === 'string') {
    return value
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'some time')
      .replaceAll(/(pods "[a-z-]+)-[a-z0-9]{5}"/g, '$1-?"');
  }
  if (Array.isArray(value)) return value.map(strip);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, strip(member ?? null)]));
}

function byText(a: Json, b: Json): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1;
}
