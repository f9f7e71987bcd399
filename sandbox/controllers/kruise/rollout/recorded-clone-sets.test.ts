import { afterEach, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import {
  cloneSetCompleted,
  cloneSetJumpAndReusedId,
  gateway,
} from '@/sandbox/controllers/kruise/testing/recorded-timelines';
import {
  APPROVAL,
  CLONE_SETS,
  createIngress,
  createService,
  newImage,
  PODS,
  rollout,
  ROLLOUTS,
  workload,
} from '@/sandbox/controllers/kruise/testing/rollout-manifests';
import { RolloutSandbox } from '@/sandbox/controllers/kruise/testing/rollout-sandbox';
import {
  expectRecorded,
  missingRows,
  recordRows,
  timelineOf,
} from '@/sandbox/controllers/kruise/testing/timeline';

vi.setConfig({ testTimeout: 60_000 });

let sandbox: RolloutSandbox;

afterEach(() => sandbox.close());

async function startCloneSet(name: string, replicas: number, canary: JsonObject): Promise<void> {
  sandbox = await RolloutSandbox.start();
  await sandbox.create('/apis/apps.kruise.io/v1beta1', 'clonesets', workload(name, replicas, `${name}:v1`));
  await createService(sandbox, name);
  await sandbox.pass(20);
  const ref = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name };
  await sandbox.create(
    '/apis/rollouts.kruise.io/v1beta1',
    'rollouts',
    rollout(`${name}-ro`, ref, { canary }),
  );
  await sandbox.pass(5);
}

async function ship(name: string, image: string): Promise<void> {
  await sandbox.merge(`${CLONE_SETS}/${name}`, newImage(image));
  await sandbox.pass(60);
}

async function startShop(): Promise<void> {
  const steps = [
    { traffic: '20%', replicas: '20%', pause: {} },
    { replicas: '60%', pause: { duration: 1 } },
    { replicas: '100%', pause: { duration: 0 } },
  ];
  const ingress = { classType: 'nginx', name: 'shop' };
  const trafficRoutings = [{ service: 'shop', gracePeriodSeconds: 1, ingress }];
  await startCloneSet('shop', 5, { steps, trafficRoutings });
}

const records = () => recordRows(sandbox, (id) => ({ id: id === 'rel-1' ? id : 'hash' }));

test('a CloneSet follows the recorded timeline, with a jump and a reused id', async () => {
  await startShop();
  await createIngress(sandbox, 'shop');
  await ship('shop', 'shop:v2');
  await sandbox.merge(`${ROLLOUTS}/shop-ro/status`, APPROVAL);
  await sandbox.pass(120);
  expectRecorded(sandbox, cloneSetCompleted);

  const mark = sandbox.changes.length;
  await sandbox.merge(`${ROLLOUTS}/shop-ro`, { metadata: { labels: { release: 'second' } } });
  const label = { metadata: { labels: { 'rollouts.kruise.io/rollout-id': 'rel-1' } } };
  await sandbox.merge(`${CLONE_SETS}/shop`, label);
  await sandbox.pass(2);
  await ship('shop', 'shop:v3');
  await sandbox.merge(`${ROLLOUTS}/shop-ro/status`, { status: { canaryStatus: { nextStepIndex: 3 } } });
  await sandbox.pass(60);
  await ship('shop', 'shop:v4');
  await sandbox.merge(`${ROLLOUTS}/shop-ro/status`, APPROVAL);
  await sandbox.pass(60);
  await sandbox.remove(`${ROLLOUTS}/shop-ro`);
  await sandbox.pass(10);
  const second = timelineOf(sandbox.changes.slice(mark));
  expect(missingRows(cloneSetJumpAndReusedId.rollout, second.rollout)).toEqual([]);
  expect(missingRows(cloneSetJumpAndReusedId.batch, second.batch)).toEqual([]);
  expect(await records()).toEqual([
    { id: 'hash', phase: 'pending', pods: [] },
    { id: 'hash', phase: 'completed', pods: [1, 2, 2] },
    { id: 'rel-1', phase: 'completed', pods: [1, 2, 2] },
  ]);
});

test('controllers that are restarted again and again continue where they were', async () => {
  await startShop();
  await sandbox.merge(`${CLONE_SETS}/shop`, newImage('shop:v2'));
  for (let seconds = 0; seconds < 96; seconds += 6) {
    await sandbox.restart();
    await sandbox.pass(6);
    if (seconds === 36) await sandbox.merge(`${ROLLOUTS}/shop-ro/status`, APPROVAL);
  }
  const { rollout: played } = timelineOf(sandbox.changes);
  expect(missingRows(cloneSetCompleted.rollout, played)).toEqual([]);
  expect(played.filter((row) => row.startsWith('Initial'))).toEqual([]);
});

test('while a rollout waits at its first step one pod is new and labeled', async () => {
  await startShop();
  await ship('shop', 'shop:v2');
  const pods = await sandbox.list(PODS);
  const batches = pods.map(({ metadata: { labels = {} } }) => labels['rollouts.kruise.io/rollout-batch-id']);
  expect(batches.sort()).toEqual(['1', ...Array<undefined>(4).fill(undefined)]);
  const cloneSet = await sandbox.get(`${CLONE_SETS}/shop`);
  expect(cloneSet.spec?.updateStrategy).toMatchObject({ rollingUpdate: { partition: '80%' } });
});

test('a CloneSet behind a Gateway follows the recorded timeline, and its records are never completed', async () => {
  const steps = [
    { traffic: '50%', replicas: '34%', pause: { duration: 1 } },
    { replicas: '100%', pause: { duration: 0 } },
  ];
  const trafficRoutings = [{ service: 'gw', gracePeriodSeconds: 1, gateway: { httpRouteName: 'gw' } }];
  await startCloneSet('gw', 3, { steps, trafficRoutings });
  await sandbox.create('/apis/gateway.networking.k8s.io/v1beta1', 'httproutes', {
    metadata: { name: 'gw' },
    spec: { parentRefs: [{ name: 'lb' }], rules: [{ backendRefs: [{ name: 'gw', port: 80 }] }] },
  });
  await ship('gw', 'gw:v2');
  await sandbox.pass(60);
  expectRecorded(sandbox, gateway);
  expect(await records()).toEqual([
    { id: 'hash', phase: 'pending', pods: [] },
    { id: 'hash', phase: 'pending', pods: [] },
  ]);
});
