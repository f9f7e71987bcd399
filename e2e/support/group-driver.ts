import type { KubeClient } from '@/e2e/controlplane/kube-client';
import { waitFor } from '@/e2e/controlplane/wait';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { leaderWorkerSetCrd } from '@/sandbox/crds/crds';

const NAMESPACE = 'ml';
const COLLECTION = `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${NAMESPACE}/leaderworkersets`;
const KEY = 'leaderworkerset.sigs.k8s.io/template-revision-hash';

/** One LeaderWorkerSet, and the actions of people and their tools on it. */
export interface GroupDriver {
  readonly path: string;
  /** Ships `model-server:{version}`, with the partition at that group. */
  ship(version: string, partition: number): Promise<void>;
  partition(): Promise<number>;
  /** Versions that the leaders run, by number of their group. */
  versions(): Promise<string[]>;
  /** Uid of the leader of a group. */
  leader(group: number): Promise<string>;
  /** Keys of the revisions that the cluster has. */
  keys(): Promise<string[]>;
}

/** Installs the definition in a cluster that runs its controllers; groups of three pods in the namespace `ml`. */
export async function createGroupDriver(
  client: KubeClient,
  name: string,
  replicas: number,
): Promise<GroupDriver> {
  await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', leaderWorkerSetCrd);
  await client.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await waitFor(() => client.list(COLLECTION), { what: 'LeaderWorkerSets are served' });
  await client.create(COLLECTION, {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name },
    spec: {
      replicas,
      startupPolicy: 'LeaderCreated',
      networkConfig: { subdomainPolicy: 'Shared' },
      leaderWorkerTemplate: {
        size: 3,
        restartPolicy: 'RecreateGroupOnPodRestart',
        workerTemplate: templateOf('1.0.0'),
      },
      rolloutStrategy: strategyOf(0),
    },
  });
  const read = () => client.get<KubeObject>(`${COLLECTION}/${name}`);
  const pod = (group: number) =>
    client.get<KubeObject>(`/api/v1/namespaces/${NAMESPACE}/pods/${name}-${group}`);
  return {
    path: `/workloads/leaderworkersets.leaderworkerset.x-k8s.io/${NAMESPACE}/${name}`,
    ship: async (version, partition) => {
      const spec = {
        leaderWorkerTemplate: { workerTemplate: templateOf(version) },
        rolloutStrategy: strategyOf(partition),
      };
      await client.patch(`${COLLECTION}/${name}`, { spec }, 'merge-patch');
    },
    partition: async () => {
      const strategy = (await read()).spec?.rolloutStrategy as {
        rollingUpdateConfiguration: { partition: number };
      };
      return strategy.rollingUpdateConfiguration.partition;
    },
    versions: async () => {
      const leaders = await Promise.all(Array.from({ length: replicas }, (_, group) => pod(group)));
      return leaders.map(({ spec }) => versionOf(spec));
    },
    leader: async (group) => (await pod(group)).metadata.uid ?? '',
    keys: async () => {
      const selector = new URLSearchParams({ labelSelector: `leaderworkerset.sigs.k8s.io/name=${name}` });
      const { items } = await client.list(
        `/apis/apps/v1/namespaces/${NAMESPACE}/controllerrevisions?${selector}`,
      );
      return items
        .map((item) => item as unknown as KubeObject)
        .filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet')
        .map(({ metadata }) => metadata.labels?.[KEY] ?? '');
    },
  };
}

function templateOf(version: string): JsonObject {
  const containers = [{ name: 'vllm', image: `model-server:${version}` }];
  return { spec: { terminationGracePeriodSeconds: 1, containers } };
}

function strategyOf(partition: number): JsonObject {
  return {
    type: 'RollingUpdate',
    rollingUpdateConfiguration: { partition, maxUnavailable: 1, maxSurge: 0 },
  };
}

function versionOf(spec: JsonObject | undefined): string {
  const [container] = (spec?.containers ?? []) as { image: string }[];
  return container?.image.split(':')[1] ?? '';
}
