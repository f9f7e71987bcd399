import type { KubeClient } from '@/e2e/controlplane/kube-client';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';

/** The objects of a namespace in a normal form, equal for two clusters with the same actions. */
export type ClusterSnapshot = Record<string, Json>;

const COLLECTIONS = {
  deployments: '/apis/apps/v1',
  replicasets: '/apis/apps/v1',
  statefulsets: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  controllerrevisions: '/apis/apps/v1',
  pods: '/api/v1',
};

/** Members that contain times or locations, or count writes; their values depend on timing only. */
const DROPPED = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'lastUpdateTime',
  'time',
  'nodeName',
  'kubectl.kubernetes.io/restartedAt',
]);

export async function takeSnapshot(client: KubeClient, namespace: string): Promise<ClusterSnapshot> {
  const objects: (KubeObject & { collection: string })[] = [];
  for (const [collection, base] of Object.entries(COLLECTIONS)) {
    const { items } = await client.list(`${base}/namespaces/${namespace}/${collection}`);
    objects.push(...items.map((item) => ({ ...(item as object as KubeObject), collection })));
  }
  const tokens = tokensOf(objects);
  const snapshot: ClusterSnapshot = {};
  for (const object of objects) {
    if (object.collection === 'pods' && object.metadata.deletionTimestamp !== undefined) continue;
    const plain = plainOf(object, tokens);
    const name = `${object.collection}/${tokens.get(object.metadata.name) ?? object.metadata.name}`;
    snapshot[name] = plain;
  }
  return Object.fromEntries(Object.entries(snapshot).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Placeholders of generated names and hashes: positions in an order that both clusters have. */
function tokensOf(objects: readonly (KubeObject & { collection: string })[]): Map<string, string> {
  const tokens = new Map<string, string>();
  const number = (collection: string, keyOf: (object: KubeObject) => string | undefined) => {
    const owned = objects
      .filter((object) => object.collection === collection)
      .flatMap((object) => {
        const key = keyOf(object);
        return key === undefined ? [] : [{ object, key }];
      })
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const counts = new Map<string, number>();
    for (const { object } of owned) {
      const owner = ownerName(object, tokens) ?? 'nobody';
      const count = (counts.get(owner) ?? 0) + 1;
      counts.set(owner, count);
      tokens.set(object.metadata.name, `${owner}/${collection}-${count}`);
      const hash = hashOf(object);
      if (hash !== undefined) tokens.set(hash, `hash-of-${owner}/${collection}-${count}`);
    }
  };
  number('replicasets', (set) => templateKey(set.spec?.template));
  number('controllerrevisions', (revision) =>
    revision.metadata.ownerReferences?.[0]?.kind === 'DaemonSet'
      ? templateKey([revision.data ?? null, revision.revision ?? null])
      : undefined,
  );
  number('pods', (pod) => {
    if (pod.metadata.ownerReferences?.[0]?.kind === 'StatefulSet') return undefined;
    const { metadata, status } = pod;
    const ready = isReady(status);
    return canonicalJson([ownerName(pod, tokens) ?? '', replaceAll(metadata.labels ?? {}, tokens), ready]);
  });
  return tokens;
}

function ownerName({ metadata }: KubeObject, tokens: ReadonlyMap<string, string>): string | undefined {
  const name = metadata.ownerReferences?.[0]?.name;
  return name === undefined ? undefined : (tokens.get(name) ?? name);
}

function hashOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.['pod-template-hash'] ?? metadata.labels?.['controller-revision-hash'];
}

/** A template without the label that differs between the clusters. */
function templateKey(template: Json | undefined): string {
  return canonicalJson(template ?? null)
    .replace(/,?"pod-template-hash":"[^"]*"/g, '')
    .replace(/"kubectl.kubernetes.io\/restartedAt":"[^"]*"/g, '');
}

function plainOf(object: KubeObject & { collection: string }, tokens: ReadonlyMap<string, string>): Json {
  const { collection, ...rest } = object;
  const plain = replaceAll(strip(rest as object as JsonObject), tokens) as JsonObject;
  const metadata = { ...(plain.metadata as JsonObject) };
  // The order of entries follows their times. Which fields of a status were ever written depends on timing.
  if (Array.isArray(metadata.managedFields)) {
    metadata.managedFields = metadata.managedFields
      .filter((entry) => (entry as JsonObject).subresource !== 'status')
      .sort(byText);
  }
  if (collection === 'pods') {
    delete metadata.managedFields;
    // Which of several nodes is next is random.
    const spec = JSON.parse(JSON.stringify(plain.spec).replace(/"worker-\d"/g, '"some node"')) as JsonObject;
    return { ...plain, metadata, spec, status: { ready: isReady(object.status) } };
  }
  if (collection === 'replicasets') {
    // How many steps a rollout takes depends on timing.
    const isObserved = object.metadata.generation === object.status?.observedGeneration;
    delete metadata.generation;
    const { observedGeneration: _observed, ...status } = (plain.status ?? {}) as JsonObject;
    return { ...plain, metadata, status: { ...status, isObserved } };
  }
  return { ...plain, metadata };
}

function byText(a: Json, b: Json): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1;
}

function isReady(status: JsonObject | undefined): boolean {
  const conditions = Array.isArray(status?.conditions) ? status.conditions : [];
  return conditions.some(
    (condition) => isJsonObject(condition) && condition.type === 'Ready' && condition.status === 'True',
  );
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.map(strip);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(
    entries.map(([key, member]) => [
      key.replace(/"uid":"[^"]*"|\\"uid\\":\\"[^"]*\\"/, '"uid"'),
      strip(member ?? null),
    ]),
  );
}

function replaceAll(value: Json, tokens: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') {
    const exact = tokens.get(value);
    if (exact !== undefined) return exact;
    let text = value;
    for (const [name, token] of tokens)
      if (name.length > 5 && text.includes(name)) text = text.replaceAll(name, token);
    return text;
  }
  if (Array.isArray(value)) return value.map((item) => replaceAll(item, tokens));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaceAll(member ?? null, tokens)]),
  );
}
