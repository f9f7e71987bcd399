import { type KubeClient } from '@/e2e/controlplane/kube-client';
import { isActive } from '@/lib/history/assemble';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { conditionAt, objectsAt } from '@/lib/kube/read';
import { deriveObservedState } from '@/sandbox/controllers/leader-worker-set/testing/observed-state';

export const LEADER_WORKER_SETS = '/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets';

/** Members that contain times or locations, or count writes. */
const DROPPED = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'creationTimestamp',
  'managedFields',
  'lastTransitionTime',
]);

async function list(client: KubeClient, namespace: string, collection: string): Promise<KubeObject[]> {
  const cut = collection.lastIndexOf('/');
  const path = `${collection.slice(0, cut)}/namespaces/${namespace}${collection.slice(cut)}`;
  return (await client.list(path)).items as object[] as KubeObject[];
}

async function objectsOf(client: KubeClient, namespace: string) {
  return {
    sets: await list(client, namespace, LEADER_WORKER_SETS),
    statefulSets: await list(client, namespace, '/apis/apps/v1/statefulsets'),
    revisions: await list(client, namespace, '/apis/apps/v1/controllerrevisions'),
    pods: await list(client, namespace, '/api/v1/pods'),
  };
}

/** What Shiplog reports of the one LeaderWorkerSet, in a line. */
export async function describeGroups(client: KubeClient, namespace: string): Promise<string> {
  const { history, groups, status, workloads } = deriveObservedState(
    await objectsOf(client, namespace),
    Date.now(),
  );
  if (workloads.length !== 1) throw new Error('a part is taken for a workload');
  const revisions = history.revisions.map(({ number, alsoNumbers, target, pods }) => {
    const text = `${[number, ...alsoNumbers].join('+')}*${pods.total}`;
    return target ? `[${text}]` : text;
  });
  const items = groups.items.map(({ revision, leader, workers }) => {
    const pods = [leader, ...workers].filter((pod) => pod !== null && isActive(pod));
    return `${revision?.number ?? '?'}/${pods.length}`;
  });
  return `${revisions.join(' ')} | ${items.join(' ')} | ${status.state}: ${status.message}`;
}

/** The objects of a namespace in a normal form, equal for two clusters with the same actions. */
export async function takeGroupSnapshot(client: KubeClient, namespace: string): Promise<JsonObject> {
  const { sets, statefulSets, revisions, pods } = await objectsOf(client, namespace);
  return {
    sets: sets.map(({ spec, status }) => strip({ spec: spec ?? {}, status: status ?? {} })),
    statefulSets: statefulSets.map(({ metadata, spec }) =>
      strip({ ...labelsAndAnnotations({ metadata }), spec: spec ?? {} }),
    ),
    revisions: revisions
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet')
      .map(({ metadata, revision, data }) =>
        strip({ ...labelsAndAnnotations({ metadata }), revision: revision ?? 0, data: data ?? {} }),
      ),
    pods: pods
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec, status }) => ({
        ...labelsAndAnnotations({ metadata }),
        images: objectsAt(spec, 'containers').map(({ image }) => image ?? null),
        isReady: conditionAt(status, 'Ready')?.status ?? '',
      })),
  };
}

function labelsAndAnnotations({ metadata }: Pick<KubeObject, 'metadata'>) {
  const { name, labels = {}, ownerReferences = [] } = metadata;
  return { name, labels, owners: ownerReferences.map(({ kind, name: owner }) => `${kind} ${owner}`) };
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.map(strip);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, strip(member ?? null)]));
}
