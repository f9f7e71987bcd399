import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import type { Clock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createTransport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import { startSandboxApi } from '@/sandbox/api/sandbox-api';
import { startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/runtime/controller-manager';
import { groupTemplate, llama, rolling } from '@/sandbox/controllers/leader-worker-set/testing/llama';
import { T0 } from '@/sandbox/controllers/testing/objects';
import { leaderWorkerSetCrd } from '@/sandbox/crds/crds';
import { recorderOf } from '@/server/recorder/testing/recorder-of';

vi.setConfig({ testTimeout: 60_000 });

const MINUTE = 60_000;
const SETS = '/apis/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets';
const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(1);
}

/** Controllers on a clock that jumps, and a recorder that watches them over the network. */
async function begin() {
  const clock = new VirtualClock();
  await clock.advance(T0 - clock.now());
  const api = await startSandboxApi({ clock, seed: 1 });
  const folder = makeFolder();
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(file, api.kubeconfig('seeder'));
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] });
  const transport = createTransport({ credentials, readOnly: false });
  const send = async (method: 'POST' | 'PATCH', path: string, body: JsonObject) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await transport.json({ method, path, contentType, body: JSON.stringify(body) });
  };
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', leaderWorkerSetCrd);
  const controllers = startControllers({
    transport,
    clock,
    log: silentLogger,
    nodes: ['a', 'b', 'c'].map((name) => ({ name })),
    barrier: barrierOf(api, 'seeder'),
  });
  const cluster = new LiveCluster({
    credentials,
    readOnly: true,
    namespaces: [],
    kinds: workloadKinds,
    log: silentLogger,
  });
  const archive = new MemoryArchive();
  const pace: Clock = {
    now: () => clock.now(),
    sleep: (_ms, signal) => setTimeout(1, undefined, { signal }),
  };
  const recorder = recorderOf(cluster, archive, pace);
  cluster.start();
  recorder.start();
  closing.push(
    () => folder.remove(),
    () => api.stop(),
    () => transport.close(),
    () => controllers.stop(),
    () => cluster.stop(),
    () => recorder.stop(),
  );
  await until(() => recorder.state.state === 'recording' && cluster.identity.version !== null);

  const listOf = async (path: string) =>
    ((await transport.json({ method: 'GET', path })) as unknown as { items: KubeObject[] }).items;

  /** Until the cache is up to date with the API server. */
  async function seen(): Promise<void> {
    const [sets, pods, revisions] = await Promise.all([
      listOf(SETS),
      listOf('/api/v1/namespaces/default/pods'),
      listOf('/apis/apps/v1/namespaces/default/controllerrevisions'),
    ]);
    const own = revisions.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet');
    await until(() => {
      const set = cluster.cache.workload(leaderWorkerSet.resource.id, 'default', 'llama');
      if (set === undefined) return sets.length === 0;
      return (
        set.resourceVersion === sets[0]?.metadata.resourceVersion &&
        cluster.cache.podsOf(set).length === pods.length &&
        cluster.cache.sourcesOf(set).length === own.length
      );
    });
    await setTimeout(3);
  }

  return {
    archive,
    recorder,
    send,
    setImage: (image: string) =>
      send('PATCH', `${SETS}/llama`, { spec: { leaderWorkerTemplate: groupTemplate(image) } }),
    /** Advances the clock. */
    pass: async (ms: number): Promise<void> => {
      const end = clock.now() + ms;
      for (;;) {
        await controllers.idle();
        await seen();
        const next = controllers.nextTimer() ?? Infinity;
        if (next > end) break;
        await clock.advance(next - clock.now());
      }
      await clock.advance(end - clock.now());
    },
    records: () => [...archive.records.values()].sort((a, b) => a.activation - b.activation),
  };
}

test('archives every revision before the controller deletes it, and records every rollout', async () => {
  const { archive, recorder, send, setImage, pass, records } = await begin();
  await send('POST', SETS, llama());
  await pass(5 * MINUTE);
  for (const image of ['vllm:2', 'vllm:3']) {
    await setImage(image);
    await pass(5 * MINUTE);
  }
  await send('PATCH', `${SETS}/llama`, { spec: rolling({ partition: 2 }) });
  await setImage('vllm:hang');
  await pass(5 * MINUTE);
  await setImage('vllm:3');
  await pass(5 * MINUTE);
  await send('PATCH', `${SETS}/llama`, { spec: rolling({ partition: 0 }) });
  await setImage('vllm:1');
  await pass(5 * MINUTE);
  await until(() => recorder.state.state === 'recording' && records().at(-1)?.outcome === 'completed');

  expect(records().map(({ images, outcome }) => `${images[0]?.image} ${outcome}`)).toEqual([
    'vllm:1 completed',
    'vllm:2 completed',
    'vllm:3 completed',
    'vllm:hang rolledBack',
    'vllm:3 completed',
    'vllm:1 completed',
  ]);
  const [incarnation] = [...archive.incarnationsByUid.values()];
  expect(archive.incarnationsByUid.size).toBe(1);
  expect(incarnation).toMatchObject({ kind: 'LeaderWorkerSet', name: 'llama' });
  const revisions = await archive.revisions.of({ cluster: 'cluster', uid: incarnation?.uid ?? '' });
  expect(revisions.map(({ numbers }) => numbers).sort()).toEqual([[1, 6], [2], [3, 5], [4]]);
  for (const { id, hash } of revisions) {
    expect(id.startsWith(`${incarnation?.uid}.`)).toBe(true);
    expect(archive.bodies.get(hash)).toMatchObject({
      leaderWorkerTemplate: { size: 2 },
      networkConfig: { subdomainPolicy: 'Shared' },
    });
  }
  const held = records().find(({ outcome }) => outcome === 'rolledBack');
  expect(held?.steps.map(({ name, planned }) => [name, planned])).toEqual([['Partition 2', '1 of 3 groups']]);
  const [, second] = records();
  expect(second?.summary).toBe('image 1 → 2');
});

test('the cause of a rollout is the annotation of the set when its template changes, recorded once', async () => {
  const { archive, recorder, send, pass, records } = await begin();
  const change = (image: string, cause?: string) =>
    send('PATCH', `${SETS}/llama`, {
      ...(cause !== undefined && { metadata: { annotations: { 'kubernetes.io/change-cause': cause } } }),
      spec: { leaderWorkerTemplate: groupTemplate(image) },
    });
  await send('POST', SETS, llama());
  await pass(5 * MINUTE);
  await change('vllm:2', 'longer context');
  await pass(5 * MINUTE);
  await change('vllm:3');
  await pass(5 * MINUTE);
  await change('vllm:2', 'too slow');
  await pass(5 * MINUTE);
  await until(() => recorder.state.state === 'recording' && records().length === 4);
  await until(() => records().at(-1)?.outcome === 'completed');
  expect(records().map(({ images, cause }) => `${images[0]?.image} ${cause}`)).toEqual([
    'vllm:1 null',
    'vllm:2 longer context',
    'vllm:3 null',
    'vllm:2 too slow',
  ]);
  const [incarnation] = [...archive.incarnationsByUid.values()];
  const revisions = await archive.revisions.of({ cluster: 'cluster', uid: incarnation?.uid ?? '' });
  expect(revisions.map(({ images, changeCause }) => `${images[0]?.image} ${changeCause}`).sort()).toEqual([
    'vllm:1 null',
    'vllm:2 too slow',
    'vllm:3 null',
  ]);
});
