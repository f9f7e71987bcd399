import { afterEach, describe, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { imagesOf, livePods, template } from '@/sandbox/controllers/kruise/testing/clone-set';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { advancedStatefulSetCrd } from '@/sandbox/crds/kruise';

vi.setConfig({ testTimeout: 60_000 });

const WEB = '/apps.kruise.io/v1beta1/namespaces/default/statefulsets/web';
let sandboxes: TestSandbox[] = [];

async function running(rollingUpdate: JsonObject = {}, spec: JsonObject = {}): Promise<TestSandbox> {
  const sandbox = await TestSandbox.start();
  sandboxes.push(sandbox);
  await sandbox.define(advancedStatefulSetCrd);
  await sandbox.create({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: { name: 'web' },
    spec: {
      replicas: 4,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
      template: template('web:1'),
      ...spec,
    },
  });
  await sandbox.untilIdle();
  return sandbox;
}

async function update(sandbox: TestSandbox, image: string): Promise<void> {
  await sandbox.merge(WEB, { spec: { template: template(image) } });
  await sandbox.untilIdle();
}

async function statusOf(sandbox: TestSandbox): Promise<JsonObject> {
  return (await sandbox.list('statefulsets', '/apis/apps.kruise.io/v1beta1'))[0]?.status ?? {};
}

/** Of `web-0`, `web-1`, … */
async function images(sandbox: TestSandbox): Promise<string[]> {
  const byName = imagesOf(await livePods(sandbox));
  return Object.keys(byName)
    .sort()
    .map((name) => `${name} ${byName[name] ?? ''}`);
}

afterEach(async () => {
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  sandboxes = [];
});

test('pods, revisions and status show the revision as OpenKruise does', async () => {
  const sandbox = await running();
  await update(sandbox, 'web:2');
  const status = await statusOf(sandbox);
  expect(status).toEqual({
    observedGeneration: 2,
    replicas: 4,
    readyReplicas: 4,
    availableReplicas: 4,
    currentReplicas: 4,
    updatedReplicas: 4,
    updatedReadyReplicas: 4,
    updatedAvailableReplicas: 4,
    currentRevision: status.updateRevision,
    updateRevision: expect.stringMatching(/^web-[0-9a-z]+$/) as unknown,
    collisionCount: 0,
    labelSelector: 'app=web',
  });
  const [revision] = (await sandbox.list('controllerrevisions')).filter(
    ({ revision: number }) => number === 2,
  );
  expect(revision).toMatchObject({
    metadata: {
      name: status.updateRevision,
      labels: { app: 'web', 'controller.kubernetes.io/hash': expect.any(String) as unknown },
      ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web' }],
    },
    data: { spec: { template: { $patch: 'replace' } } },
  });
  for (const { metadata, spec } of await livePods(sandbox)) {
    expect(metadata.labels?.['controller-revision-hash']).toBe(status.updateRevision);
    expect(spec?.readinessGates).toBeUndefined();
  }
});

describe('an update', () => {
  test('goes down to the partition, and pods below it are recreated at the old revision', async () => {
    const sandbox = await running({ partition: 2 });
    await update(sandbox, 'web:2');
    const expected = ['web-0 web:1', 'web-1 web:1', 'web-2 web:2', 'web-3 web:2'];
    expect(await images(sandbox)).toEqual(expected);
    await sandbox.evict('web-0');
    await sandbox.untilIdle();
    expect(await images(sandbox)).toEqual(expected);
    expect(await statusOf(sandbox)).toMatchObject({ updatedReplicas: 2, currentReplicas: 2 });
  });

  test('does not start while it is paused', async () => {
    const sandbox = await running({ paused: true });
    await update(sandbox, 'web:2');
    expect(await images(sandbox)).not.toContain('web-3 web:2');
    await sandbox.merge(WEB, { spec: { updateStrategy: { rollingUpdate: { paused: false } } } });
    await sandbox.untilIdle();
    expect(await statusOf(sandbox)).toMatchObject({ updatedReplicas: 4, readyReplicas: 4 });
  });

  test('updates as many pods at a time as may be unavailable where pods need no order', async () => {
    const spec = { podManagementPolicy: 'Parallel', replicas: 5 };
    const sandbox = await running({ maxUnavailable: '50%' }, spec);
    await update(sandbox, 'web:hang');
    expect((await images(sandbox)).filter((image) => image.endsWith('hang'))).toEqual([
      'web-3 web:hang',
      'web-4 web:hang',
    ]);
  });

  test('without an order leaves as many pods as the partition allows, whichever they are', async () => {
    const sandbox = await running({ partition: 3, unorderedUpdate: {} });
    await update(sandbox, 'web:2');
    expect(await images(sandbox)).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1', 'web-3 web:2']);
    await sandbox.evict('web-1');
    await sandbox.untilIdle();
    expect(await images(sandbox)).toContain('web-1 web:1');
  });

  test('updates pods in place', async () => {
    const sandbox = await running({ podUpdatePolicy: 'InPlaceIfPossible' });
    const before = (await livePods(sandbox)).map(({ metadata }) => metadata.uid);
    await update(sandbox, 'web:2');
    const after = await livePods(sandbox);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(await images(sandbox)).toContain('web-0 web:2');
    expect(await statusOf(sandbox)).toMatchObject({ updatedReadyReplicas: 4, currentReplicas: 4 });
  });
});

test('a rollback reverts every pod at or above the partition, and reuses the old revision', async () => {
  const sandbox = await running({ partition: 3 });
  await update(sandbox, 'web:2');
  await update(sandbox, 'web:1');
  expect(await images(sandbox)).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1', 'web-3 web:1']);
  const status = await statusOf(sandbox);
  expect(status.currentRevision).toBe(status.updateRevision);
  expect((await sandbox.list('controllerrevisions')).map(({ revision }) => revision).sort()).toEqual([2, 3]);
});

test('reserved ordinals are skipped, and their pods are deleted when they are reserved later', async () => {
  const sandbox = await running({}, { reserveOrdinals: [1], replicas: 3 });
  expect(await images(sandbox)).toEqual(['web-0 web:1', 'web-2 web:1', 'web-3 web:1']);
  await sandbox.merge(WEB, { spec: { reserveOrdinals: [0, '3-4'] } });
  await sandbox.untilIdle();
  expect(await images(sandbox)).toEqual(['web-1 web:1', 'web-2 web:1', 'web-5 web:1']);
});

test.each([1, 3, 8])('controllers that die after every %i writes reach the same end', async (spare) => {
  const sandbox = await running({ partition: 1, podUpdatePolicy: 'InPlaceIfPossible' });
  await sandbox.stopControllers();
  await sandbox.merge(WEB, { spec: { template: template('web:2') } });
  await sandbox.outlastDeaths(spare);
  expect(await images(sandbox)).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:2', 'web-3 web:2']);
  expect(await statusOf(sandbox)).toMatchObject({
    readyReplicas: 4,
    updatedReadyReplicas: 3,
    currentReplicas: 1,
  });
});
