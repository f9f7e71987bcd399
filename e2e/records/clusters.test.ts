import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeployment, IMAGE } from '@/e2e/cluster/deployments';
import {
  clusterList,
  WrittenClusters,
  type NamedCluster,
  startTwoClusters,
  untilRecorded,
} from '@/e2e/cluster/two-clusters';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { isReadyRound, killAtRandom, ROUNDS, ROUNDS_TIMEOUT_MS } from '@/e2e/records/kill-rounds';
import { type ReadRollouts, startRollouts } from '@/e2e/records/rollouts';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordAnswer, RecordItem, RecordList } from '@/lib/api/records';
import type { KubeObject } from '@/lib/kube/object';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';

const NAMESPACE = 'clusters';
/** Each starts a process, and waits for its recorder in most cases. */
const ROUNDS_HERE = Math.min(ROUNDS, 20);

const { engines, stop } = await enginesUnderTest();
let clusters: Awaited<ReturnType<typeof startTwoClusters>>;
let staging: NamedCluster;
let prod: NamedCluster;

beforeAll(async () => {
  clusters = await startTwoClusters(NAMESPACE);
  ({ staging, prod } = clusters);
});

afterAll(async () => {
  await clusters?.stop();
  await stop();
});

/** A Shiplog that knows these clusters, through its starts and kills. */
class ShiplogOf {
  readonly clusters: readonly NamedCluster[];
  readonly #place: TestDatabase;
  readonly #file: WrittenClusters;
  readonly #folder = mkdtempSync(join(tmpdir(), 'shiplog-of-clusters-'));
  #running: Shiplog | undefined;

  constructor(place: TestDatabase, known: readonly NamedCluster[]) {
    this.clusters = known;
    this.#place = place;
    this.#file = new WrittenClusters(known);
  }

  get running(): Shiplog {
    if (this.#running === undefined) throw new Error('It does not run.');
    return this.#running;
  }

  async start(untilReady = true): Promise<void> {
    const { databaseUrl, dataDir } = this.#place;
    this.#running = await startShiplog({
      dataDir: databaseUrl === undefined ? dataDir : this.#folder,
      env: { ...this.#file.env, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) },
      untilReady,
    });
  }

  /** Resolves when it records each of its clusters. */
  async recording(): Promise<void> {
    for (const each of this.clusters) await untilRecorded(this.running, each);
  }

  kill(): Promise<void> {
    return killAtRandom(this.running, this.#place);
  }

  async end(): Promise<void> {
    await this.#running?.stop();
    this.#file.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describe.each(engines.filter(({ engine }) => engine === 'postgres'))(
  'two processes on one $engine archive, each with a cluster that the other does not know',
  ({ createDatabase: makePlace }) => {
    test('each records its own, and both serve the records of both', () =>
      withProcesses(makePlace, [[staging], [prod]], async (all) => {
        const namespace = 'apart';
        const ids = await idsOf(all);
        for (const { name, cluster } of [staging, prod]) {
          await seedNamespace(cluster, namespace);
          await createDeployment(cluster, namespace, 'cart', { image: `${repositoryOf(name)}:1.0` });
          await untilSettled(cluster, 'Deployment', { namespace, name: 'cart' });
        }
        for (const { running } of all) {
          for (const each of [staging, prod]) {
            await untilRecordsAreTrue(running, ids, each, namespace);
            const id = ids.get(each.name) ?? '';
            const [record] = await recordsOf(running, id, namespace);
            const { workload } = (await running.get(`/api/records/${record?.id}`)) as RecordAnswer;
            expect(workload.cluster).toBe(id);
          }
        }
      }));

    test(
      'killed at any moment, they lose no record, and record none twice or for the other cluster',
      { timeout: ROUNDS_TIMEOUT_MS },
      () => withProcesses(makePlace, [[staging], [prod]], (all) => killOver(all, 'killed-apart')),
    );
  },
);

describe.each(engines.filter(({ engine }) => engine === 'sqlite'))(
  'one process with two clusters on $engine',
  ({ createDatabase: makePlace }) => {
    test(
      'killed at any moment, it loses no record, and records none twice or for the other cluster',
      { timeout: ROUNDS_TIMEOUT_MS },
      () => withProcesses(makePlace, [[staging, prod]], (all) => killOver(all, 'killed-together')),
    );
  },
);

/** Starts a process for each of these sets of clusters, on one archive, and ends them after the work. */
async function withProcesses(
  makePlace: () => Promise<TestDatabase>,
  known: readonly (readonly NamedCluster[])[],
  work: (all: readonly ShiplogOf[]) => Promise<void>,
): Promise<void> {
  const place = await makePlace();
  const all = known.map((each) => new ShiplogOf(place, each));
  try {
    for (const each of all) await each.start();
    for (const each of all) await each.recording();
    await work(all);
  } finally {
    await Promise.all(all.map((each) => each.end()));
    await place.remove();
  }
}

/** Kills one of the processes after the other, at random, while both clusters have rollouts of the same names. */
async function killOver(all: readonly ShiplogOf[], namespace: string): Promise<void> {
  const ids = await idsOf(all);
  const rollouts: ReadRollouts[] = [];
  try {
    for (const { name, cluster } of [staging, prod]) {
      await seedNamespace(cluster, namespace);
      rollouts.push(await startRollouts(cluster, namespace, { repository: repositoryOf(name) }));
    }
    for (let round = 0; round < ROUNDS_HERE; round += 1) {
      const victim = all[Math.floor(Math.random() * all.length)];
      if (victim === undefined) throw new Error('There is no process.');
      await victim.kill();
      const isReady = isReadyRound();
      await victim.start(isReady);
      if (isReady) await victim.recording();
    }
  } finally {
    await Promise.all(rollouts.map((each) => each.stop()));
  }
  for (const { cluster } of [staging, prod]) {
    for (const name of rollouts[0]?.names ?? [])
      await untilSettled(cluster, 'Deployment', { namespace, name });
  }
  for (const each of all) await each.recording();
  for (const { running } of all) {
    for (const each of [staging, prod]) await untilRecordsAreTrue(running, ids, each, namespace);
  }
}

/** Names the cluster: no image is in both. */
function repositoryOf(cluster: string): string {
  return `${IMAGE}-${cluster}`;
}

/** Ids of the clusters, by name. */
async function idsOf(all: readonly ShiplogOf[]): Promise<Map<string, string>> {
  const lists = await Promise.all(all.map(({ running }) => clusterList(running)));
  return new Map(lists.flatMap(({ items }) => items.map(({ name, id }) => [name, id])));
}

/** Every revision of the cluster has one record, whichever process is asked, and that cluster has no other record. */
async function untilRecordsAreTrue(
  shiplog: Shiplog,
  ids: ReadonlyMap<string, string>,
  { name, cluster }: NamedCluster,
  namespace: string,
): Promise<void> {
  const id = ids.get(name) ?? '';
  const { items } = await cluster.client().list(`/apis/apps/v1/namespaces/${namespace}/replicasets`);
  const truth = (items as unknown as KubeObject[]).map(rolloutOf).toSorted();
  const read = async () => {
    const records = await recordsOf(shiplog, id, namespace);
    return records.every(({ endedAt }) => endedAt !== null) && records.length >= truth.length && records;
  };
  const detail = () => `${truth.length} rollouts happened.\n${shiplog.log()}`;
  const records = await waitFor(read, { what: `every rollout of ${name} is recorded`, detail });
  expect(records.map(({ workload: { cluster: of } }) => of)).toEqual(records.map(() => id));
  expect(records.map(factOf).toSorted()).toEqual(truth);
}

/** What is to be recorded of a revision, which names its cluster. */
function rolloutOf({ metadata, spec }: KubeObject): string {
  const { template } = spec as { template: { spec: { containers: { image: string }[] } } };
  const number = metadata.annotations?.['deployment.kubernetes.io/revision'];
  return `${metadata.ownerReferences?.[0]?.uid} ${number} ${template.spec.containers[0]?.image}`;
}

function factOf({ workload, to, images }: RecordItem): string {
  return `${workload.uid} ${to.number} ${images[0]?.image}`;
}

/** Of a cluster that the process may not know, all pages. */
async function recordsOf(shiplog: Shiplog, id: string, namespace: string): Promise<RecordItem[]> {
  const records: RecordItem[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/api/records?cluster=${id}&namespace=${namespace}&limit=200${page}`;
    const list = (await shiplog.get(path)) as RecordList;
    records.push(...list.items);
    cursor = list.nextCursor;
  }
  return records;
}
