import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '@/e2e/controlplane/kube-client';
import { waitFor } from '@/e2e/controlplane/wait';
import type { Shiplog } from '@/e2e/support/shiplog';
import type { WorkloadDetail, WorkloadList } from '@/lib/api/workloads';
import type { PodList } from '@/lib/api/pods';
import type { KubeObject } from '@/lib/kube/object';

/** The state of a Deployment as far as its objects alone show it. */
interface Facts {
  readonly uid: string;
  readonly generation: number;
  readonly images: readonly string[];
  /** Without those that Shiplog omits for their length. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Number of each ReplicaSet, as kubectl counts. */
  readonly revisions: readonly number[];
  /** Name and readiness. */
  readonly pods: readonly string[];
}

type State = Readonly<Record<string, Facts>>;

const ANNOTATION_CHARS_MAX = 2_000;
const NUMBER = 'deployment.kubernetes.io/revision';

/**
 * Waits until Shiplog reports its answers as fresh and complete, and they agree for every Deployment of the namespace
 * with a list of the same moment.
 */
export async function untilSameState(shiplog: Shiplog, client: KubeClient, namespace: string): Promise<void> {
  let differences: string[] = [];
  await waitFor(
    async () => {
      const [actual, shown] = await Promise.all([
        actualState(client, namespace),
        shownState(shiplog, namespace),
      ]);
      differences = [
        ...(shown.stale ? ['stale'] : []),
        ...shown.partial.map(({ reason }) => reason),
        ...differencesOf(shown.state, actual),
      ];
      return differences.length === 0;
    },
    {
      what: 'Shiplog shows what a fresh list says',
      everyMs: 100,
      detail: () => differences.join('\n'),
    },
  );
}

function differencesOf(shown: State, actual: State): string[] {
  return [...new Set([...Object.keys(shown), ...Object.keys(actual)])]
    .filter((name) => !isDeepStrictEqual(shown[name], actual[name]))
    .map((name) => `${name}: ${shortText(shown[name])} instead of ${shortText(actual[name])}`);
}

function shortText(facts: Facts | undefined): string {
  return (JSON.stringify(facts) ?? 'nothing').slice(0, 600);
}

async function shownState(shiplog: Shiplog, namespace: string) {
  const list = (await shiplog.get(
    `/api/workloads?namespace=${namespace}&resource=deployments.apps`,
  )) as WorkloadList;
  const entries = await Promise.all(
    list.items.map(async ({ name }) => {
      const path = `/api/workloads/deployments.apps/${namespace}/${encodeURIComponent(name)}`;
      const [{ workload, revisions }, { items }] = (await Promise.all([
        shiplog.get(path),
        shiplog.get(`${path}/pods`),
      ])) as [WorkloadDetail, PodList];
      const facts: Facts = {
        uid: workload.uid,
        generation: workload.generation,
        images: workload.images.map(({ image }) => image),
        annotations: workload.annotations,
        revisions: revisions
          .filter(({ retained }) => retained)
          .map(({ number }) => number ?? 0)
          .sort((a, b) => a - b),
        pods: items.map((pod) => `${pod.name} ${pod.ready}`).sort(),
      };

      return [name, facts] as const;
    }),
  );

  return { stale: list.stale, partial: list.partial, state: Object.fromEntries(entries) as State };
}

async function actualState(client: KubeClient, namespace: string): Promise<State> {
  const list = async (path: string) => (await client.list(path)).items as unknown as KubeObject[];
  const [deployments, replicaSets, pods] = await Promise.all([
    list(`/apis/apps/v1/namespaces/${namespace}/deployments`),
    list(`/apis/apps/v1/namespaces/${namespace}/replicasets`),
    list(`/api/v1/namespaces/${namespace}/pods`),
  ]);
  const entries = deployments.map((deployment) => {
    const sets = ownedBy(deployment, replicaSets);
    const facts: Facts = {
      uid: deployment.metadata.uid,
      generation: deployment.metadata.generation ?? 0,
      images: imagesOf(deployment),
      annotations: shortAnnotationsOf(deployment),
      revisions: sets
        .map(({ metadata }) => Number(metadata.annotations?.[NUMBER] ?? 0))
        .sort((a, b) => a - b),
      pods: sets
        .flatMap((set) => ownedBy(set, pods))
        .map((pod) => `${pod.metadata.name} ${isReady(pod)}`)
        .sort(),
    };

    return [deployment.metadata.name, facts] as const;
  });

  return Object.fromEntries(entries);
}

function ownedBy({ metadata: { uid } }: KubeObject, objects: readonly KubeObject[]): KubeObject[] {
  return objects.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
}

function shortAnnotationsOf({ metadata }: KubeObject): Record<string, string> {
  const entries = Object.entries(metadata.annotations ?? {});

  return Object.fromEntries(entries.filter(([, value]) => value.length <= ANNOTATION_CHARS_MAX));
}

function imagesOf({ spec }: KubeObject): string[] {
  const { containers } = (spec as { template: { spec: { containers: { image: string }[] } } }).template.spec;

  return containers.map(({ image }) => image);
}

function isReady({ status }: KubeObject): boolean {
  const { conditions = [] } = status as { conditions?: { type: string; status: string }[] };

  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
}
