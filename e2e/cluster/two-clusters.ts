import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import type { User } from '@/e2e/controlplane/users';
import { waitFor } from '@/e2e/controlplane/wait';
import type { Shiplog } from '@/e2e/support/shiplog';
import type { ClusterItem, ClusterList } from '@/lib/api/cluster';

/** A cluster with the name and the stage that SHIPLOG_CLUSTERS gives it. */
export interface NamedCluster {
  readonly name: string;
  readonly stage: string;
  readonly cluster: ControlPlane;
}

/** Starts `staging` and `prod`, each with a namespace of that name. */
export async function startTwoClusters(namespace: string): Promise<{
  readonly staging: NamedCluster;
  readonly prod: NamedCluster;
  stop(): Promise<void>;
}> {
  const started = await Promise.allSettled([startControlPlane(), startControlPlane({ nodes: 1 })]);
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const stop = async () => {
    await Promise.all(running.map((cluster) => cluster.stop()));
  };
  try {
    for (const each of started) if (each.status === 'rejected') throw each.reason;
    await Promise.all(running.map((cluster) => seedNamespace(cluster, namespace)));
  } catch (error) {
    await stop();
    throw error;
  }
  const [first, second] = running;
  if (first === undefined || second === undefined) throw new Error('Two clusters were to be started.');
  return {
    staging: { name: 'staging', stage: 'test', cluster: first },
    prod: { name: 'prod', stage: 'production', cluster: second },
    stop,
  };
}

/** The file that SHIPLOG_CLUSTERS names, with the kubeconfigs of its clusters beside it. */
export class WrittenClusters {
  readonly #folder = mkdtempSync(join(tmpdir(), 'shiplog-clusters-'));
  readonly path = join(this.#folder, 'clusters.yaml');

  /** `user`: as whom Shiplog connects. */
  constructor(clusters: readonly NamedCluster[], user: User = 'admin') {
    const kubeconfigs = join(this.#folder, 'kubeconfigs');
    mkdirSync(kubeconfigs);
    // Links, since a cluster writes its kubeconfig again when its certificates are renewed.
    for (const { name, cluster } of clusters) symlinkSync(cluster.kubeconfigs[user], join(kubeconfigs, name));
    this.list(clusters);
  }

  /** The environment of a Shiplog that reads these clusters. */
  get env(): Record<string, string> {
    return { SHIPLOG_CLUSTERS: this.path };
  }

  /** Lists these clusters and no other. */
  list(clusters: readonly NamedCluster[]): void {
    const entries = clusters.map(
      ({ name, stage }) =>
        `  - {name: ${name}, stage: ${stage}, source: {kubeconfig: kubeconfigs/${name}}}\n`,
    );
    this.write(`apiVersion: shiplog.dev/v1\nclusters:\n${entries.join('')}`);
  }

  /** At once: while a file is written, its beginning alone could be read. */
  write(text: string): void {
    const next = `${this.path}.next`;
    writeFileSync(next, text);
    renameSync(next, this.path);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function clusterList(shiplog: Shiplog): Promise<ClusterList> {
  return (await shiplog.get('/api/clusters')) as ClusterList;
}

/** Waits until the cluster is in that state, as Shiplog lists it. */
export function untilCluster(
  shiplog: Shiplog,
  { name }: NamedCluster,
  state: ClusterItem['state'],
): Promise<ClusterItem> {
  return untilItem(shiplog, name, `${name} is ${state}`, (item) => item.state === state);
}

/** Waits until all of the cluster has been read, and rollouts in it are recorded. */
export function untilRecorded(shiplog: Shiplog, { name }: NamedCluster): Promise<ClusterItem> {
  return untilItem(
    shiplog,
    name,
    `${name} is recorded`,
    ({ ready, recorder }) => ready && recorder.state === 'recording',
  );
}

/** Waits until what Shiplog lists of the entry is so. */
export function untilItem(
  shiplog: Shiplog,
  name: string,
  what: string,
  holds: (item: ClusterItem) => boolean,
): Promise<ClusterItem> {
  let last: ClusterList | undefined;
  const ask = async () => {
    last = await clusterList(shiplog);
    return last.items.find((item) => item.name === name && holds(item));
  };
  return waitFor(ask, { what, detail: () => `${JSON.stringify(last)}\n${shiplog.log()}` });
}
