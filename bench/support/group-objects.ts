import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { leaderWorkerSetCrd } from '@/sandbox/crds/crds';

export const GROUPS = { sets: 2_000, groupsEach: 8, podsEach: 4 };

const NAMESPACES = 20;
const CONCURRENCY = 24;
/** Groups from this number up are on the new revision; the partition holds the others. */
const PARTITION = 4;
const API = 'leaderworkerset.x-k8s.io/v1';
const DOMAIN = 'leaderworkerset.sigs.k8s.io';
const KEYS = ['5f7c8d9b64', '6b5d4f8c97'] as const;

/** Namespace and name of a LeaderWorkerSet. */
export function setAt(index: number): { namespace: string; name: string } {
  return {
    namespace: `models-${String(index % NAMESPACES).padStart(2, '0')}`,
    name: `model-${String(index).padStart(4, '0')}`,
  };
}

/**
 * LeaderWorkerSets at a canary, as their controllers would have left them: StatefulSets, revisions, labeled pods and
 * all.
 */
export async function seedGroups(cluster: ControlPlane, count = GROUPS.sets): Promise<void> {
  const client = cluster.client();
  await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', leaderWorkerSetCrd);
  await Promise.all(
    Array.from({ length: NAMESPACES }, (_, index) => seedNamespace(cluster, setAt(index).namespace)),
  );
  await waitFor(() => client.list(`/apis/${API}/leaderworkersets`), { what: 'LeaderWorkerSets are served' });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await seedSet(cluster, next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function seedSet(cluster: ControlPlane, index: number): Promise<void> {
  const client = cluster.client();
  const { namespace, name } = setAt(index);
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const whole = await client.create<KubeObject>(`/apis/${API}/namespaces/${namespace}/leaderworkersets`, {
    apiVersion: API,
    kind: 'LeaderWorkerSet',
    metadata: { name },
    spec: {
      replicas: GROUPS.groupsEach,
      startupPolicy: 'LeaderCreated',
      networkConfig: { subdomainPolicy: 'Shared' },
      leaderWorkerTemplate: templateOf(2),
      rolloutStrategy: {
        type: 'RollingUpdate',
        rollingUpdateConfiguration: { partition: PARTITION, maxUnavailable: 1, maxSurge: 0 },
      },
    },
  });
  for (const [place, key] of KEYS.entries()) {
    await client.create(`${apps}/controllerrevisions`, {
      metadata: {
        name: `${name}-${key}-${place + 1}`,
        labels: { [`${DOMAIN}/name`]: name, [`${DOMAIN}/template-revision-hash`]: key },
        ownerReferences: [ownedBy(whole, API, 'LeaderWorkerSet')],
      },
      revision: place + 1,
      data: {
        spec: {
          leaderWorkerTemplate: { $patch: 'replace', ...templateOf(place + 1) },
          networkConfig: { $patch: 'replace', subdomainPolicy: 'Shared' },
        },
      },
    });
  }
  const leaders = await client.create<KubeObject>(
    `${apps}/statefulsets`,
    statefulSet(name, whole, API, 'LeaderWorkerSet', {
      replicas: GROUPS.groupsEach,
      labels: { [`${DOMAIN}/name`]: name, [`${DOMAIN}/template-revision-hash`]: KEYS[1] },
    }),
  );
  for (let group = 0; group < GROUPS.groupsEach; group += 1) await seedGroup(cluster, index, leaders, group);
}

async function seedGroup(
  cluster: ControlPlane,
  index: number,
  leaders: KubeObject,
  group: number,
): Promise<void> {
  const client = cluster.client();
  const { namespace, name } = setAt(index);
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const key = KEYS[group < PARTITION ? 0 : 1];
  const labels = {
    [`${DOMAIN}/name`]: name,
    [`${DOMAIN}/template-revision-hash`]: key,
    [`${DOMAIN}/group-index`]: String(group),
  };
  const podOf = (place: number, owner: KubeObject): object => ({
    metadata: {
      name: place === 0 ? `${name}-${group}` : `${name}-${group}-${place}`,
      labels: { ...labels, [`${DOMAIN}/worker-index`]: String(place) },
      annotations: { [`${DOMAIN}/size`]: String(GROUPS.podsEach) },
      ownerReferences: [ownedBy(owner, 'apps/v1', 'StatefulSet')],
    },
    spec: { ...podSpec(group < PARTITION ? 1 : 2), automountServiceAccountToken: false },
  });
  const leader = await client.create<KubeObject>(pods, podOf(0, leaders));
  const workers = await client.create<KubeObject>(
    `/apis/apps/v1/namespaces/${namespace}/statefulsets`,
    statefulSet(`${name}-${group}`, leader, 'v1', 'Pod', { replicas: GROUPS.podsEach - 1, labels }),
  );
  for (let place = 1; place < GROUPS.podsEach; place += 1) await client.create(pods, podOf(place, workers));
}

function statefulSet(
  name: string,
  owner: KubeObject,
  apiVersion: string,
  kind: string,
  { replicas, labels }: { replicas: number; labels: Record<string, string> },
): object {
  return {
    metadata: { name, labels, ownerReferences: [ownedBy(owner, apiVersion, kind)] },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(2) },
    },
  };
}

function templateOf(revision: number): JsonObject {
  return {
    size: GROUPS.podsEach,
    restartPolicy: 'RecreateGroupOnPodRestart',
    workerTemplate: { spec: podSpec(revision) },
  };
}

function podSpec(revision: number): JsonObject {
  return { containers: [{ name: 'server', image: `registry.example.com/model-server:0.${revision}.0` }] };
}

function ownedBy({ metadata }: KubeObject, apiVersion: string, kind: string): object {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
