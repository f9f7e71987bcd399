import { setTimeout as sleep } from 'node:timers/promises';
import { CLUSTER } from '@/bench/support/archive-records';
import { atMost, type Metric, milliseconds, plain } from '@/bench/support/figure';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { Archive } from '@/server/archive/archive';
import type { RecordQuery } from '@/server/archive/record-query';
import { Keys } from '@/server/shared/keys';
import { createLogger } from '@/server/shared/log';
import { deriveView } from '@/server/views/workload-view';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { Recorder } from '@/server/recorder/recorder';

const ROLLOUTS_PER_MINUTE = 50;
const MEASURED_MS = 60_000;
const WORKLOADS = 200;
const PODS = 4;
/** From one pod to the next. */
const STEP_MS = 4_000;
const NAMESPACE = 'recorded';

const ended: RecordQuery = {
  clusters: [{ cluster: `${CLUSTER}-recorded`, scopes: null }],
  namespaces: [NAMESPACE],
  outcomes: ['completed'],
  limit: 500,
};

/** The share of one core that the in-memory cluster takes without a recorder. */
export async function shareWithoutRecording(): Promise<number> {
  return (await measureShare(undefined)).share;
}

/**
 * The real recorder on a full archive, over an in-memory cluster with ongoing rollouts, as a share of one core:
 * processor time of this process, minus what it takes without a recorder.
 */
export async function shareOfRecording(
  name: string,
  archive: Archive,
  withoutRecording: number,
): Promise<Metric[]> {
  const { share, recorded, changes } = await measureShare(archive);
  const cost = Math.max(0, share - withoutRecording);
  return [
    atMost(`${name}: recording ${ROLLOUTS_PER_MINUTE} rollouts a minute, of one core`, cost, 0.05, percent),
    plain('… rollouts recorded to their end, and objects written meanwhile', `${recorded}, ${changes}`),
    plain('… processor time per rollout', milliseconds((cost * MEASURED_MS) / ROLLOUTS_PER_MINUTE)),
  ];
}

async function measureShare(archive: Archive | undefined) {
  const cluster = new FakeCluster();
  Object.defineProperty(cluster, 'identity', { value: { ...cluster.identity, id: `${CLUSTER}-recorded` } });
  const fleet = new Fleet(cluster);
  const recorder = archive === undefined ? undefined : recorderOn(cluster, archive);
  recorder?.start();
  while (recorder !== undefined && recorder.state.state !== 'recording') await sleep(50);
  fleet.start();
  await sleep(2 * PODS * STEP_MS);
  const before = process.cpuUsage();
  const startedMs = performance.now();
  fleet.changes = 0;
  await sleep(MEASURED_MS);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1_000 / (performance.now() - startedMs);
  const { changes } = fleet;
  fleet.stop();
  await recorder?.stop();
  const records = archive === undefined ? [] : (await archive.rollouts.search(ended)).items;
  // The first rollout of each workload is the one that the recorder found.
  return { share, changes, recorded: records.filter(({ record }) => record.from !== null).length };
}

function recorderOn(cluster: FakeCluster, archive: Archive): Recorder {
  const keys = new Keys(Buffer.alloc(32, 7));
  return new Recorder({
    cluster,
    archive,
    keys,
    summaries: new ChangeSummaries(keys.mask),
    view: (workload) => deriveView(cluster, workload, Date.now()),
    actionsOf: () => [],
    configChangesOf: () => [],
    log: createLogger({ level: 'error' }),
  });
}

/** Deployments that are rolled out one after the other, pod by pod, with the writes of a controller. */
class Fleet {
  changes = 0;
  readonly #cluster: FakeCluster;
  readonly #revisions = new Map<number, number>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #next = 0;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    for (let index = 0; index < WORKLOADS; index += 1) {
      this.#revisions.set(index, 1);
      cluster.put(replicaSet(index, 1, PODS));
      cluster.put(deployment(index, 1, PODS));
    }
  }

  start(): void {
    this.#timers.add(setInterval(() => this.#begin(this.#next++ % WORKLOADS), 60_000 / ROLLOUTS_PER_MINUTE));
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #begin(index: number): void {
    const revision = (this.#revisions.get(index) ?? 1) + 1;
    this.#revisions.set(index, revision);
    this.#put(replicaSet(index, revision, 0));
    this.#put(deployment(index, revision, 0));
    for (let pod = 1; pod <= PODS; pod += 1) {
      this.#timers.add(setTimeout(() => this.#step(index, revision, pod), pod * STEP_MS));
    }
  }

  #step(index: number, revision: number, ready: number): void {
    this.#put(podOf(index, revision, ready));
    this.#put(replicaSet(index, revision, ready));
    this.#put(replicaSet(index, revision - 1, PODS - ready));
    this.#cluster.remove(pathOfPod(index, revision - 1, ready));
    this.#put(deployment(index, revision, ready));
  }

  #put(object: KubeObject): void {
    this.changes += 1;
    this.#cluster.put(object);
  }
}

function deployment(index: number, revision: number, ready: number): KubeObject {
  const name = nameOf(index);
  return {
    ...object('Deployment', name, `uid-deployment-${index}`, null, { generation: revision }),
    spec: {
      replicas: PODS,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: { app: name } },
      template: template(index, revision),
    },
    status: {
      observedGeneration: revision,
      replicas: PODS,
      updatedReplicas: ready,
      readyReplicas: PODS,
      availableReplicas: PODS,
    },
  };
}

function replicaSet(index: number, revision: number, replicas: number): KubeObject {
  const name = `${nameOf(index)}-${revision}`;
  return {
    ...object('ReplicaSet', name, `uid-set-${index}-${revision}`, ['Deployment', `uid-deployment-${index}`], {
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    }),
    spec: { replicas, template: template(index, revision, name) },
    status: { replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 1 },
  };
}

function podOf(index: number, revision: number, number: number): KubeObject {
  const name = `${nameOf(index)}-${revision}`;
  const now = new Date().toISOString();
  return {
    ...object(
      'Pod',
      `${name}-${number}`,
      `uid-pod-${index}-${revision}-${number}`,
      ['ReplicaSet', `uid-set-${index}-${revision}`],
      {
        labels: { app: nameOf(index), 'pod-template-hash': name },
      },
    ),
    spec: { nodeName: `node-${number}`, containers: [{ name: 'app', image: `shop:${revision}` }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now }],
      containerStatuses: [
        { name: 'app', ready: true, restartCount: 0, state: { running: { startedAt: now } } },
      ],
    },
  };
}

function pathOfPod(index: number, revision: number, number: number): string {
  return `/api/v1/namespaces/${NAMESPACE}/pods/${nameOf(index)}-${revision}-${number}`;
}

function template(index: number, revision: number, hash?: string): JsonObject {
  const app = nameOf(index);
  return {
    metadata: { labels: hash === undefined ? { app } : { app, 'pod-template-hash': hash } },
    spec: {
      containers: [
        {
          name: 'app',
          image: `registry.example.com/${app}:1.${revision}.0`,
          env: Array.from({ length: 12 }, (_, number) => ({ name: `SETTING_${number}`, value: `${number}` })),
          resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '1Gi' } },
        },
      ],
    },
  };
}

function object(
  kind: string,
  name: string,
  uid: string,
  owner: readonly [kind: string, uid: string] | null,
  more: Pick<KubeObject['metadata'], 'labels' | 'annotations' | 'generation'>,
): KubeObject {
  return {
    apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
    kind,
    metadata: {
      name,
      namespace: NAMESPACE,
      uid,
      resourceVersion: '1',
      creationTimestamp: new Date().toISOString(),
      ...more,
      ...(owner === null
        ? {}
        : {
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: owner[0], name: 'owner', uid: owner[1], controller: true },
            ],
          }),
    },
  };
}

function nameOf(index: number): string {
  return `rolled-${index}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
