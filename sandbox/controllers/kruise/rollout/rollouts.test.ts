import { afterEach, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import {
  APPROVAL,
  createIngress,
  createService,
  DEPLOYMENTS,
  HISTORIES,
  newImage,
  PODS,
  rollout,
  ROLLOUTS,
  workload,
} from '@/sandbox/controllers/kruise/testing/rollout-manifests';
import { RolloutSandbox } from '@/sandbox/controllers/kruise/testing/rollout-sandbox';

vi.setConfig({ testTimeout: 60_000 });

let sandbox: RolloutSandbox;

afterEach(() => sandbox.close());

const STEPS = [
  { replicas: 1, pause: {} },
  { replicas: '50%', pause: {} },
  { replicas: '100%', pause: { duration: 0 } },
];

async function start(strategy: JsonObject, name = 'web'): Promise<void> {
  sandbox = await RolloutSandbox.start();
  await add(strategy, name);
}

async function add(strategy: JsonObject, name: string): Promise<void> {
  await sandbox.create('/apis/apps/v1', 'deployments', workload(name, 4, 'app:v1'));
  await sandbox.pass(20);
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  await sandbox.create('/apis/rollouts.kruise.io/v1beta1', 'rollouts', rollout(name, ref, strategy));
  await sandbox.pass(5);
}

async function ship(image: string, name = 'web'): Promise<void> {
  await sandbox.merge(`${DEPLOYMENTS}/${name}`, newImage(image));
  await sandbox.pass(60);
}

async function approve(part = 'canaryStatus', name = 'web'): Promise<void> {
  await sandbox.merge(`${ROLLOUTS}/${name}/status`, { status: { [part]: APPROVAL.status.canaryStatus } });
  await sandbox.pass(60);
}

/** Phase, reason of Progressing, step and its state, Succeeded. */
async function at(part = 'canaryStatus', name = 'web'): Promise<string> {
  const { status } = await sandbox.get(`${ROLLOUTS}/${name}`);
  const conditions = (status?.conditions ?? []) as { type: string; status: string; reason: string }[];
  const condition = (type: string) => conditions.find((one) => one.type === type);
  const sub = objectAt(status, part);
  return [
    textAt(status, 'phase') ?? '',
    condition('Progressing')?.reason ?? '-',
    `${numberAt(sub, 'currentStepIndex') ?? ''}`,
    textAt(sub, 'currentStepState') ?? '',
    condition('Succeeded')?.status ?? '-',
  ].join(' ');
}

/** Pods by image and batch. */
async function pods(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { metadata, spec } of await sandbox.list(PODS)) {
    const [container] = (spec?.containers ?? []) as { image: string }[];
    const key = `${container?.image ?? ''} ${metadata.labels?.['rollouts.kruise.io/rollout-batch-id'] ?? '-'}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function deployment(): Promise<KubeObject> {
  return sandbox.get(`${DEPLOYMENTS}/web`);
}

test('a partition that is rolled back restores the old template of every pod', async () => {
  await start({ canary: { steps: STEPS } });
  await ship('app:v2');
  expect(await pods()).toEqual({ 'app:v1 -': 3, 'app:v2 1': 1 });
  await ship('app:v1');
  expect(await at()).toBe('Healthy Completed 1 StepPaused False');
  expect(await pods()).toEqual({ 'app:v1 -': 4 });
  const { spec, metadata } = await deployment();
  expect(spec?.paused ?? false).toBe(false);
  expect(Object.keys(metadata.labels ?? {})).toEqual(['rollouts.kruise.io/workload-type']);
});

test('a third version in the middle of the second starts over at the first step', async () => {
  await start({ canary: { enableExtraWorkloadForCanary: true, steps: STEPS } });
  await ship('app:v2');
  await approve();
  expect(await at()).toBe('Progressing InRolling 2 StepPaused -');
  await ship('app:v3');
  expect(await at()).toBe('Progressing InRolling 1 StepPaused -');
  expect(await pods()).toEqual({ 'app:v1 -': 4, 'app:v3 1': 1 });
});

test('a paused Rollout keeps an approval until it is resumed', async () => {
  await start({ canary: { steps: STEPS } });
  await ship('app:v2');
  await sandbox.merge(`${ROLLOUTS}/web`, { spec: { strategy: { paused: true } } });
  await approve();
  expect(await at()).toBe('Progressing Paused 1 StepReady -');
  await sandbox.merge(`${ROLLOUTS}/web`, { spec: { strategy: { paused: false } } });
  await sandbox.pass(60);
  expect(await at()).toBe('Progressing InRolling 2 StepPaused -');
});

test.each([
  ['disabled', 'Disabled'],
  ['deleted', undefined],
])('a Rollout that is %s midway updates the rest', async (how, phase) => {
  await start({ canary: { steps: STEPS } });
  await ship('app:v2');
  if (how === 'deleted') await sandbox.remove(`${ROLLOUTS}/web`);
  else await sandbox.merge(`${ROLLOUTS}/web`, { spec: { disabled: true } });
  await sandbox.pass(120);
  expect((await pods())['app:v1 -']).toBeUndefined();
  const [left] = await sandbox.list(ROLLOUTS);
  expect(left?.status?.phase).toBe(phase);
});

test('without its workload a Rollout resets its progress', async () => {
  await start({ canary: { steps: STEPS } });
  await sandbox.remove(`${DEPLOYMENTS}/web`);
  await sandbox.pass(5);
  const { status } = await sandbox.get(`${ROLLOUTS}/web`);
  expect(status).toMatchObject({ phase: 'Initial', message: 'Workload Not Found' });
  expect(status?.canaryStatus).toBeUndefined();
});

test('both versions run side by side in a blue-green rollout, until the last approval', async () => {
  await start({
    blueGreen: {
      steps: [
        { replicas: '100%', traffic: '0%', pause: {} },
        { replicas: '100%', traffic: '100%', pause: {} },
      ],
    },
  });
  await ship('app:v2');
  expect(await at('blueGreenStatus')).toBe('Progressing InRolling 1 StepPaused -');
  expect(await pods()).toEqual({ 'app:v1 -': 4, 'app:v2 1': 4 });
  expect((await deployment()).spec).toMatchObject({
    minReadySeconds: 2_147_483_646,
    progressDeadlineSeconds: 2_147_483_647,
    strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
  });
  await approve('blueGreenStatus');
  expect(await at('blueGreenStatus')).toBe('Progressing InRolling 2 StepPaused -');
  await approve('blueGreenStatus');
  expect(await at('blueGreenStatus')).toBe('Healthy Completed 2 Completed True');
  expect(await pods()).toEqual({ 'app:v2 1': 4 });
  const { spec, metadata } = await deployment();
  expect(spec).toMatchObject({
    progressDeadlineSeconds: 600,
    strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
  });
  expect(metadata.annotations).not.toHaveProperty('rollouts.kruise.io/original-deployment-strategy');
  expect(await sandbox.list(HISTORIES)).toEqual([]);
});

test.each([
  [
    'approved to its end',
    'app:v2',
    [
      'FinalisingStepRouteTrafficToNew',
      'RestoreStableService',
      'ResumeWorkload',
      'FinalisingStepRouteTrafficToStable',
      'RemoveCanaryService',
      'ReleaseWorkloadControl',
      'END',
    ],
  ],
  [
    'taken back',
    'app:v1',
    [
      'FinalisingStepRouteTrafficToStable',
      'ResumeWorkload',
      'RestoreStableService',
      'RemoveCanaryService',
      'ReleaseWorkloadControl',
      'END',
    ],
  ],
])('a blue-green rollout that is %s is finalized in its own order', async (_how, image, order) => {
  const trafficRoutings = [{ service: 'web', gracePeriodSeconds: 1, ingress: { name: 'web' } }];
  const steps = [{ replicas: '100%', traffic: '20%', pause: {} }];
  await start({ blueGreen: { steps, trafficRoutings } });
  await createService(sandbox, 'web');
  await createIngress(sandbox, 'web');
  await ship('app:v2');
  const mark = sandbox.changes.length;
  if (image === 'app:v1') await ship(image);
  else await approve('blueGreenStatus');
  await sandbox.pass(60);
  const told = sandbox.statesOf(
    'rollouts.rollouts.kruise.io',
    ({ status }) => textAt(status, 'blueGreenStatus', 'finalisingStep') ?? '',
    mark,
  );
  expect(told.filter((step) => step !== '')).toEqual(order);
  const services = await sandbox.list('/api/v1/namespaces/default/services');
  expect(services.map(({ metadata, spec }) => [metadata.name, spec?.selector])).toEqual([
    ['web', { app: 'web' }],
  ]);
});

test('a blue-green rollout rejects a third version and can be rolled back', async () => {
  await start({ blueGreen: { steps: [{ replicas: '100%', traffic: '0%', pause: {} }] } });
  await ship('app:v2');
  await ship('app:v3');
  const { status } = await sandbox.get(`${ROLLOUTS}/web`);
  expect(status?.message).toContain('new version releasing detected');
  await ship('app:v1');
  expect(await at('blueGreenStatus')).toBe('Healthy Completed 1 StepPaused False');
  expect(await pods()).toEqual({ 'app:v1 -': 4 });
});

test('a record of a Rollout without traffic stops the recording of its namespace until it is deleted', async () => {
  await start({ canary: { steps: STEPS } });
  await ship('app:v2');
  await approve();
  await approve();
  expect(await at()).toBe('Healthy Completed 3 Completed True');
  const pending = await sandbox.list(HISTORIES);
  expect(pending.map(({ status }) => status?.phase)).toEqual([undefined, undefined]);

  const trafficRoutings = [{ service: 'other', gracePeriodSeconds: 1, customNetworkRefs: [] }];
  await createService(sandbox, 'other');
  await add({ canary: { steps: STEPS, trafficRoutings } }, 'other');
  await sandbox.merge(`${DEPLOYMENTS}/other`, newImage('app:v2'));
  await sandbox.pass(60);
  expect(await sandbox.list(HISTORIES)).toHaveLength(2);
  expect(await recordsElsewhere({ canary: { steps: STEPS, trafficRoutings } })).not.toEqual([]);
  for (const { metadata } of pending) await sandbox.remove(`${HISTORIES}/${metadata.name}`);
  await sandbox.pass(5);
  const [record, ...more] = await sandbox.list(HISTORIES);
  expect(more).toEqual([]);
  expect(record?.metadata.labels?.['rollouts.kruise.io/rollout-name']).toBe('other');
});

/** Of a rollout in another namespace. */
async function recordsElsewhere(strategy: JsonObject): Promise<KubeObject[]> {
  const [apps, rollouts, histories] = [DEPLOYMENTS, ROLLOUTS, HISTORIES].map((path) =>
    path.replace('/default/', '/elsewhere/'),
  ) as [string, string, string];
  await sandbox.send('POST', '/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
  await sandbox.send('POST', apps, workload('other', 4, 'app:v1'));
  await sandbox.pass(20);
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' };
  await sandbox.send('POST', rollouts, rollout('other', ref, strategy));
  await sandbox.pass(5);
  await sandbox.merge(`${apps}/other`, newImage('app:v2'));
  await sandbox.pass(60);
  return sandbox.list(histories);
}
