import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { textAt } from '@/lib/kube/read';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import type { Clock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import type { Recorder } from '@/server/recorder/recorder';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/runtime/controller-manager';
import { T0 } from '@/sandbox/controllers/testing/objects';
import { recorderOf } from '@/server/recorder/testing/recorder-of';

const nativeKinds = workloadKinds.filter(({ resource }) => resource.isCustom !== true);
const HOUR = 3_600_000;
const NODES = ['worker-1', 'worker-2', 'worker-3'].map((name) => ({ name }));

const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Controllers on a clock that jumps, and a recorder that watches them over the network. */
class Day {
  readonly clock: VirtualClock;
  readonly archive = new MemoryArchive();
  readonly #api: SandboxApi;
  readonly #transport: Transport;
  readonly #controllers: Controllers;
  readonly #cluster: LiveCluster;
  readonly #recorder: Recorder;

  #version = 0;

  constructor(
    clock: VirtualClock,
    api: SandboxApi,
    transport: Transport,
    controllers: Controllers,
    cluster: LiveCluster,
  ) {
    this.clock = clock;
    this.#api = api;
    this.#transport = transport;
    this.#controllers = controllers;
    this.#cluster = cluster;
    const pace: Clock = {
      now: () => clock.now(),
      sleep: (_ms, signal) => setTimeout(1, undefined, { signal }),
    };
    this.#recorder = recorderOf(cluster, this.archive, pace);
  }

  static async begin(): Promise<Day> {
    const clock = new VirtualClock();
    await clock.advance(T0 - clock.now());
    const api = await startSandboxApi({ clock, seed: 1 });
    closing.push(() => api.stop());
    const folder = makeFolder();
    closing.push(() => folder.remove());
    const file = join(folder.path, 'kubeconfig');
    writeFileSync(file, api.kubeconfig('seeder'));
    const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] });
    const transport = createTransport({ credentials, readOnly: false });
    closing.push(() => transport.close());
    const barrier = barrierOf(api, 'seeder');
    const controllers = startControllers({
      transport,
      clock,
      log: silentLogger,
      nodes: NODES,
      barrier,
    });
    closing.push(() => controllers.stop());
    const cluster = new LiveCluster({
      credentials,
      readOnly: true,
      namespaces: [],
      kinds: workloadKinds,
      log: silentLogger,
    });
    closing.push(() => cluster.stop());
    const day = new Day(clock, api, transport, controllers, cluster);
    cluster.start();
    day.#recorder.start();
    closing.push(() => day.#recorder.stop());
    await until(() => day.#recorder.state.state === 'recording' && cluster.identity.version !== null);
    await day.pass(0);
    return day;
  }

  /** Advances the clock. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      await this.#controllers.idle();
      await this.#seen();
      const next = this.#controllers.nextTimer() ?? Infinity;
      if (next > end) break;
      await this.clock.advance(next - this.clock.now());
    }
    await this.clock.advance(end - this.clock.now());
  }

  async create(object: JsonObject & { kind: string }): Promise<void> {
    const path = `/apis/apps/v1/namespaces/default/${object.kind.toLowerCase()}s`;
    await this.#transport.json({ method: 'POST', path, body: JSON.stringify(object) });
  }

  /** `options` are those of the API: https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/ */
  async remove(collection: string, options: JsonObject = {}): Promise<void> {
    const path = `/apis/apps/v1/namespaces/default/${collection}/web`;
    await this.#transport.json({ method: 'DELETE', path, body: JSON.stringify(options) });
  }

  async write(collection: string, path: string, value: JsonObject[string] & {}): Promise<void> {
    await this.#transport.json({
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/default/${collection}/web`,
      query: { fieldManager: 'kubectl-edit' },
      contentType: 'application/json-patch+json',
      body: JSON.stringify([{ op: 'add', path, value }]),
    });
  }

  image(collection: string, image: string): Promise<void> {
    return this.write(collection, '/spec/template/spec/containers/0/image', image);
  }

  /** What is recorded of a kind: image, outcome, and the time of the start in hours of the day. */
  async story(collection: string): Promise<string[]> {
    await until(() => this.#recorder.state.state === 'recording');
    return [...this.archive.records.values()]
      .filter(({ workload }) => workload.resource === `${collection}.apps`)
      .sort((a, b) => a.activation - b.activation)
      .map(({ images, outcome, startedAt }) => {
        const hours = (Date.parse(startedAt ?? '') - T0) / HOUR;
        return `${hours} ${images[0]?.image} ${outcome}`;
      });
  }

  /** What its records say of the images, in the order of time, of all incarnations. */
  async ledger(collection: string): Promise<string[]> {
    await until(() => this.#recorder.state.state === 'recording');
    const records = this.recordsOf(collection).sort(
      (a, b) => Date.parse(a.startedAt ?? '') - Date.parse(b.startedAt ?? ''),
    );
    const imageOf = new Map(records.map(({ to, images }) => [to.hash, images[0]?.image]));
    return records.map(
      ({ from, to }) => `${from === null ? 'nothing' : imageOf.get(from.hash)} → ${imageOf.get(to.hash)}`,
    );
  }

  recordsOf(collection: string) {
    return [...this.archive.records.values()]
      .filter(({ workload }) => workload.resource === `${collection}.apps`)
      .sort((a, b) => a.activation - b.activation);
  }

  /** Until the cache is up to date with the API server, and the recorder has written it. */
  async #seen(): Promise<void> {
    if (this.#api.store.version === this.#version) return;
    this.#version = this.#api.store.version;
    const { cache } = this.#cluster;
    const lists = await Promise.all(
      nativeKinds.map(async ({ resource }) => ({
        resource,
        items: await this.#list(`/apis/apps/v1/namespaces/default/${resource.plural}`),
      })),
    );
    const kept = new Set(
      lists.flatMap(({ items }) =>
        items
          // One that is being deleted may have left its pods already.
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          .map(({ spec }) => textAt(spec, 'selector', 'matchLabels', 'app') ?? ''),
      ),
    );
    const pods = (await this.#list('/api/v1/namespaces/default/pods')).filter(({ metadata }) =>
      kept.has(metadata.labels?.app ?? ''),
    );
    const transactions = this.archive.transactions;
    const wanted = lists.flatMap(({ resource, items }) =>
      items.map(({ metadata: { name, resourceVersion } }) => ({ id: resource.id, name, resourceVersion })),
    );
    await until(
      () =>
        wanted.every(
          ({ id, name, resourceVersion }) =>
            cache.workload(id, 'default', name)?.resourceVersion === resourceVersion,
        ) &&
        // Orphans are listed as well, under a placeholder.
        [...cache.workloads()].filter(({ placeholder }) => placeholder === undefined).length ===
          wanted.length &&
        [...cache.workloads()].flatMap((workload) =>
          workload.deletedAt === null ? cache.podsOf(workload) : [],
        ).length === pods.length,
    );
    await setTimeout(1);
    await until(() => this.archive.transactions >= transactions);
  }

  async #list(path: string): Promise<KubeObject[]> {
    const answer = (await this.#transport.json({ method: 'GET', path })) as unknown as {
      items: KubeObject[];
    };
    return answer.items;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(1);
}

function workload(kind: string, spec: JsonObject = {}): JsonObject & { kind: string } {
  const labels = { app: kind.toLowerCase() };
  const containers = [{ name: 'app', image: 'web:1' }];
  const sized = kind === 'DaemonSet' ? {} : { replicas: 3 };
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web' },
    spec: { ...sized, selector: { matchLabels: labels }, template, ...spec },
  };
}

vi.setConfig({ testTimeout: 60_000 });

test('the records of a day are what happened in it, for every kind', async () => {
  const day = await Day.begin();
  await day.create(workload('Deployment'));
  await day.create(workload('StatefulSet', { serviceName: 'web' }));
  await day.create(workload('DaemonSet', { updateStrategy: { type: 'OnDelete' } }));
  await day.pass(HOUR);

  await day.image('deployments', 'web:2');
  await day.write('statefulsets', '/spec/updateStrategy', {
    type: 'RollingUpdate',
    rollingUpdate: { partition: 2 },
  });
  await day.image('statefulsets', 'web:2');
  await day.image('daemonsets', 'web:2');
  await day.pass(HOUR);

  await day.image('deployments', 'web:hang');
  await day.write('statefulsets', '/spec/updateStrategy/rollingUpdate/partition', 0);
  await day.pass(HOUR);

  await day.image('deployments', 'web:2');
  await day.image('statefulsets', 'web:3');
  await day.image('daemonsets', 'web:1');
  await day.pass(HOUR);

  await day.write('deployments', '/spec/paused', true);
  await day.image('deployments', 'web:1');
  await day.pass(HOUR);
  await day.write('deployments', '/spec/paused', false);
  await day.remove('statefulsets');
  await day.pass(HOUR);

  expect(await day.story('deployments')).toEqual([
    '0 web:1 completed',
    '1 web:2 completed',
    '2 web:hang rolledBack',
    '3 web:2 completed',
    '5 web:1 completed',
  ]);
  expect(await day.story('statefulsets')).toEqual([
    '0 web:1 completed',
    '1 web:2 completed',
    '3 web:3 completed',
  ]);
  expect(await day.story('daemonsets')).toEqual([
    '0 web:1 completed',
    '1 web:2 rolledBack',
    '3 web:1 completed',
  ]);

  const [, partitioned] = day.recordsOf('statefulsets');
  expect(partitioned?.steps.map(({ name, state, pods }) => [name, state, pods.length])).toEqual([
    ['Partition 2', 'completed', 1],
    ['Partition 0', 'completed', 2],
  ]);
  expect(partitioned?.spans.map(({ kind }) => kind)).toEqual(['held']);
  const [, rolled, hung] = day.recordsOf('deployments');
  expect(rolled).toMatchObject({
    summary: 'image 1 → 2',
    actor: { name: 'kubectl-edit', source: 'managedFields' },
    unwatched: [],
  });
  expect(hung?.spans.at(-1)?.kind).toBe('stuck');
  expect(
    [...day.archive.incarnationsByUid.values()].map(({ kind, deletedAt }) => [kind, deletedAt !== null]),
  ).toEqual([
    ['Deployment', false],
    ['StatefulSet', true],
    ['DaemonSet', false],
  ]);
});

test('a workload that is deleted without its revisions and created again has no rollout but that of its new template', async () => {
  const day = await Day.begin();
  const created = [
    workload('Deployment'),
    workload('StatefulSet', { serviceName: 'web' }),
    workload('DaemonSet'),
  ];
  const collections = ['deployments', 'statefulsets', 'daemonsets'];
  const withImage = (object: (typeof created)[number], image: string) =>
    JSON.parse(JSON.stringify(object).replace('web:1', image)) as typeof object;
  for (const object of created) await day.create(object);
  await day.pass(HOUR);
  for (const collection of collections) await day.image(collection, 'web:2');
  await day.pass(HOUR);

  for (const image of ['web:2', 'web:3', 'web:1']) {
    for (const collection of collections) await day.remove(collection, { propagationPolicy: 'Orphan' });
    await day.pass(HOUR);
    for (const object of created) await day.create(withImage(object, image));
    await day.pass(HOUR);
  }

  for (const collection of collections) {
    expect(await day.ledger(collection), collection).toEqual([
      'nothing → web:1',
      'web:1 → web:2',
      'web:2 → web:3',
      // The DaemonSet's pods stay: their template generation is that of the new one.
      'web:3 → web:1',
    ]);
  }
});
