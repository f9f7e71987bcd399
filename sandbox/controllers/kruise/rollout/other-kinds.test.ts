import { afterEach, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { objectAt, textAt } from '@/lib/kube/read';
import {
  APPROVAL,
  createIngress,
  createService,
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
  { replicas: '100%', pause: {} },
];

async function start(
  apiVersion: string,
  kind: string,
  spec: JsonObject,
  strategy: JsonObject = { canary: { steps: STEPS } },
): Promise<string> {
  sandbox = await RolloutSandbox.start();
  const group = `/apis/${apiVersion}`;
  const plural = `${kind.toLowerCase()}s`;
  const manifest = workload('db', 3, 'db:v1');
  const { replicas: _replicas, ...rest } = objectAt(manifest, 'spec') ?? {};
  const sized = kind === 'DaemonSet' ? rest : manifest.spec;
  await sandbox.create(group, plural, { ...manifest, spec: { ...(sized as JsonObject), ...spec } });
  await sandbox.pass(60);
  const ref = { apiVersion, kind, name: 'db' };
  await sandbox.create('/apis/rollouts.kruise.io/v1beta1', 'rollouts', rollout('db', ref, strategy));
  await sandbox.pass(10);
  return `${group}/namespaces/default/${plural}/db`;
}

async function images(): Promise<string[]> {
  const pods = await sandbox.list(PODS);
  return pods
    .map(({ metadata, spec }) => {
      const [container] = (spec?.containers ?? []) as { image: string }[];
      return `${container?.image ?? ''} ${metadata.labels?.['rollouts.kruise.io/rollout-batch-id'] ?? '-'}`;
    })
    .sort();
}

async function podNames(image: string): Promise<string[]> {
  const pods = await sandbox.list(PODS);
  const found = pods.filter(({ spec }) => JSON.stringify(spec?.containers).includes(image));
  return found.map(({ metadata }) => metadata.name).sort();
}

async function state(part = 'canaryStatus'): Promise<string> {
  const { status } = await sandbox.get(`${ROLLOUTS}/db`);
  return `${textAt(status, 'phase') ?? ''} ${textAt(status, part, 'currentStepState') ?? ''}`;
}

test.each([
  ['apps/v1', 'StatefulSet', { serviceName: 'db' }],
  ['apps.kruise.io/v1beta1', 'StatefulSet', { serviceName: 'db' }],
  ['apps.kruise.io/v1beta1', 'DaemonSet', {}],
  ['apps/v1', 'DaemonSet', {}],
])('%s %s is rolled out by its partition', async (apiVersion, kind, spec) => {
  const path = await start(apiVersion, kind, spec);
  await sandbox.merge(path, newImage('db:v2'));
  await sandbox.pass(120);
  expect(await state()).toBe('Progressing StepPaused');
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v2 1']);
  await sandbox.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await sandbox.pass(120);
  expect(await state()).toBe('Healthy Completed');
  expect(await images()).toEqual(['db:v2 1', 'db:v2 2', 'db:v2 2']);
});

test('a native DaemonSet is updated by deletion during a rollout, and restored afterwards', async () => {
  const path = await start('apps/v1', 'DaemonSet', {});
  await sandbox.merge(path, newImage('db:v2'));
  await sandbox.pass(60);
  const during = await sandbox.get(path);
  expect(during.spec?.updateStrategy).toMatchObject({ type: 'OnDelete' });
  expect(during.metadata.annotations).toMatchObject({
    'rollouts.kruise.io/daemonset-original-update-strategy': 'RollingUpdate',
    'rollouts.kruise.io/daemonset-advanced-control': expect.stringMatching(
      /^partition=2,batch-revision=\w+$/,
    ) as string,
  });
  // Its own revisions show no rollback: the stable version becomes another rollout, from the first step on.
  await sandbox.merge(path, newImage('db:v1'));
  await sandbox.pass(60);
  expect(await state()).toBe('Progressing StepPaused');
  await sandbox.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await sandbox.pass(60);
  expect(await state()).toBe('Healthy Completed');
  expect((await images()).map((text) => text.slice(0, 5))).toEqual(['db:v1', 'db:v1', 'db:v1']);
  const after = await sandbox.get(path);
  expect(after.spec?.updateStrategy).toMatchObject({ type: 'RollingUpdate' });
  const left = Object.keys(after.metadata.annotations ?? {});
  expect(left.filter((key) => key.startsWith('rollouts.kruise.io/'))).toEqual([]);
});

/** Both versions of a CloneSet side by side, with traffic, at the first of two steps. */
async function startBlueGreen(): Promise<string> {
  const trafficRoutings = [{ service: 'db', gracePeriodSeconds: 1, ingress: { name: 'db' } }];
  const steps = ['0%', '100%'].map((traffic) => ({ replicas: '100%', traffic, pause: {} }));
  const spec = { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } };
  const strategy = { blueGreen: { steps, trafficRoutings } };
  const path = await start('apps.kruise.io/v1beta1', 'CloneSet', spec, strategy);
  await createService(sandbox, 'db');
  await createIngress(sandbox, 'db');
  await sandbox.merge(path, newImage('db:v2'));
  await sandbox.pass(60);
  expect(await state('blueGreenStatus')).toBe('Progressing StepPaused');
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v1 -', 'db:v2 1', 'db:v2 1', 'db:v2 1']);
  const during = await sandbox.get(path);
  expect(during.spec).toMatchObject({
    minReadySeconds: 2_147_483_646,
    updateStrategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
  });
  return path;
}

/** As before the rollout: nothing is left of how it was held. */
async function expectLetGo(path: string): Promise<void> {
  const { spec, metadata } = await sandbox.get(path);
  expect(spec).toMatchObject({
    minReadySeconds: 0,
    updateStrategy: { rollingUpdate: { maxUnavailable: 1 } },
  });
  expect(Object.keys(objectAt(spec, 'updateStrategy', 'rollingUpdate') ?? {})).toEqual(['maxUnavailable']);
  expect(Object.keys(metadata.annotations ?? {})).toEqual([]);
}

test('both versions of a CloneSet run side by side in a blue-green rollout, until the last approval', async () => {
  const path = await startBlueGreen();
  for (const _step of [1, 2]) {
    await sandbox.merge(`${ROLLOUTS}/db/status`, {
      status: { blueGreenStatus: APPROVAL.status.canaryStatus },
    });
    await sandbox.pass(60);
  }
  expect(await state('blueGreenStatus')).toBe('Healthy Completed');
  expect(await images()).toEqual(['db:v2 1', 'db:v2 1', 'db:v2 1']);
  await expectLetGo(path);
});

test('a blue-green rollout of a CloneSet that is rolled back does not touch the stable pods', async () => {
  const path = await startBlueGreen();
  const before = await podNames('db:v1');
  await sandbox.merge(path, newImage('db:v1'));
  await sandbox.pass(120);
  expect(await state('blueGreenStatus')).toBe('Healthy StepPaused');
  expect(await podNames('')).toEqual(before);
  await expectLetGo(path);
});

async function startCloneSet(annotations: Record<string, string> = {}): Promise<string> {
  const path = await start('apps.kruise.io/v1beta1', 'CloneSet', {});
  await sandbox.merge(`${ROLLOUTS}/db`, { metadata: { annotations } });
  await sandbox.merge(path, newImage('db:v2'));
  await sandbox.pass(60);
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v2 1']);
  return path;
}

test('a CloneSet that is rolled back loses its partition and gets its old pods back', async () => {
  const path = await startCloneSet();
  await sandbox.merge(path, newImage('db:v1'));
  await sandbox.pass(60);
  expect(await state()).toBe('Healthy StepPaused');
  expect((await images()).map((text) => text.slice(0, 5))).toEqual(['db:v1', 'db:v1', 'db:v1']);
  const { spec } = await sandbox.get(path);
  expect(objectAt(spec, 'updateStrategy', 'rollingUpdate')?.partition ?? 0).toBe(0);
});

test('a CloneSet that is rolled back in batches goes through the steps again, until every pod is old', async () => {
  const path = await startCloneSet({ 'rollouts.kruise.io/rollback-in-batch': 'true' });
  await sandbox.merge(path, newImage('db:v1'));
  await sandbox.pass(60);
  expect(await state()).toBe('Progressing StepPaused');
  const { status } = await sandbox.get(`${ROLLOUTS}/db`);
  expect(objectAt(status, 'canaryStatus')?.currentStepIndex).toBe(1);
  await sandbox.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await sandbox.pass(60);
  expect(await state()).toBe('Healthy Completed');
  expect((await images()).map((text) => text.slice(0, 5))).toEqual(['db:v1', 'db:v1', 'db:v1']);
});

test('a third version of a CloneSet starts over at the first step', async () => {
  const path = await startCloneSet();
  await sandbox.merge(path, newImage('db:v3'));
  await sandbox.pass(120);
  expect(await state()).toBe('Progressing StepPaused');
  expect((await images()).filter((text) => text.startsWith('db:v3'))).toEqual(['db:v3 1']);
});

test('a jump to the current step runs it again', async () => {
  await startCloneSet();
  await sandbox.merge(`${ROLLOUTS}/db/status`, { status: { canaryStatus: { nextStepIndex: 1 } } });
  await sandbox.pass(60);
  expect(await state()).toBe('Progressing StepPaused');
  await sandbox.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await sandbox.pass(60);
  expect(await state()).toBe('Healthy Completed');
});

test('a CloneSet whose strategy is stored as v1alpha1 is rolled out too', async () => {
  const flat = { updateStrategy: { type: 'ReCreate', maxUnavailable: 1 } };
  const path = await start('apps.kruise.io/v1beta1', 'CloneSet', flat);
  await sandbox.merge(path, newImage('db:v2'));
  await sandbox.pass(60);
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v2 1']);
  await sandbox.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await sandbox.pass(60);
  expect(await state()).toBe('Healthy Completed');
  expect((await sandbox.get(path)).spec?.updateStrategy).toEqual(flat.updateStrategy);
});

test('a Rollout that is stored as v1alpha1 goes through the steps by its weights', async () => {
  const path = await start('apps.kruise.io/v1alpha1', 'CloneSet', {});
  await sandbox.remove(`${ROLLOUTS}/db`);
  await sandbox.pass(30);
  const workloadRef = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'db' };
  await sandbox.create('/apis/rollouts.kruise.io/v1alpha1', 'rollouts', {
    metadata: { name: 'db' },
    spec: {
      objectRef: { workloadRef },
      strategy: {
        canary: {
          steps: [
            { weight: 30, pause: {} },
            { weight: 100, pause: { duration: 0 } },
          ],
        },
      },
    },
  });
  await sandbox.pass(10);
  await sandbox.merge(path, newImage('db:v2'));
  await sandbox.pass(60);
  expect(await state()).toBe('Progressing StepPaused');
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v2 1']);
  await sandbox.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await sandbox.pass(60);
  expect(await state()).toBe('Healthy Completed');
});
