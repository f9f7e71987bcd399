import { afterEach, describe, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { textAt } from '@/lib/kube/read';
import { imageOf, livePods, template } from '@/sandbox/controllers/kruise/testing/clone-set';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { advancedDaemonSetCrd } from '@/sandbox/crds/kruise';

vi.setConfig({ testTimeout: 60_000 });

const AGENT = '/apps.kruise.io/v1beta1/namespaces/default/daemonsets/agent';
let sandboxes: TestSandbox[] = [];

/** On three nodes. */
async function running(rollingUpdate: JsonObject = {}, type = 'RollingUpdate'): Promise<TestSandbox> {
  const sandbox = await TestSandbox.start();
  sandboxes.push(sandbox);
  await sandbox.define(advancedDaemonSetCrd);
  await sandbox.create({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', annotations: { 'kubernetes.io/change-cause': 'first' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { type, rollingUpdate },
      template: template('web:1'),
    },
  });
  await sandbox.untilIdle();
  return sandbox;
}

async function update(sandbox: TestSandbox, image: string): Promise<void> {
  await sandbox.merge(AGENT, { spec: { template: template(image) } });
  await sandbox.untilIdle();
}

async function statusOf(sandbox: TestSandbox): Promise<JsonObject> {
  return (await sandbox.list('daemonsets', '/apis/apps.kruise.io/v1beta1'))[0]?.status ?? {};
}

function nodeOf({ spec }: KubeObject): string {
  return textAt(spec, 'nodeName') ?? '';
}

async function images(sandbox: TestSandbox): Promise<string[]> {
  return (await livePods(sandbox)).map((pod) => `${nodeOf(pod)} ${imageOf(pod)}`).sort();
}

afterEach(async () => {
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  sandboxes = [];
});

test('pods, revisions and status show the revision as OpenKruise does', async () => {
  const sandbox = await running();
  const status = await statusOf(sandbox);
  const hash = textAt(status, 'daemonSetHash') ?? '';
  expect(status).toEqual({
    observedGeneration: 1,
    currentNumberScheduled: 3,
    desiredNumberScheduled: 3,
    numberAvailable: 3,
    numberMisscheduled: 0,
    numberReady: 3,
    updatedNumberScheduled: 3,
    collisionCount: 0,
    daemonSetHash: hash,
    updateRevision: hash,
  });
  expect((await sandbox.list('controllerrevisions'))[0]).toMatchObject({
    metadata: {
      name: `agent-${hash}`,
      labels: { app: 'web', 'controller-revision-hash': hash },
      annotations: { 'kubernetes.io/change-cause': 'first' },
      ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', name: 'agent' }],
    },
    data: { spec: { template: { $patch: 'replace' } } },
    revision: 1,
  });
  for (const { metadata } of await livePods(sandbox)) {
    expect(metadata.labels).toEqual({ app: 'web', 'controller-revision-hash': hash });
  }
});

describe('an update', () => {
  test.each<[JsonObject, string[]]>([
    [{ partition: 2 }, ['worker-1 web:1', 'worker-2 web:1', 'worker-3 web:2']],
    [{ partition: '34%' }, ['worker-1 web:1', 'worker-2 web:1', 'worker-3 web:2']],
    [{ partition: 3 }, ['worker-1 web:1', 'worker-2 web:1', 'worker-3 web:1']],
    [{ paused: true }, ['worker-1 web:1', 'worker-2 web:1', 'worker-3 web:1']],
    [{ maxSurge: 1, maxUnavailable: 0 }, ['worker-1 web:2', 'worker-2 web:2', 'worker-3 web:2']],
    [{}, ['worker-1 web:2', 'worker-2 web:2', 'worker-3 web:2']],
  ])('with %j ends in the right state', async (rollingUpdate, expected) => {
    const sandbox = await running(rollingUpdate);
    await update(sandbox, 'web:2');
    expect(await images(sandbox)).toEqual(expected);
  });

  test('updates no more nodes at once than may be unavailable', async () => {
    const sandbox = await running({ maxUnavailable: 2 });
    await update(sandbox, 'web:hang');
    expect((await images(sandbox)).filter((image) => image.endsWith('hang'))).toHaveLength(2);
  });

  test('updates pods in place, one after the other', async () => {
    const sandbox = await running({ rollingUpdateType: 'InPlaceIfPossible' });
    const before = (await livePods(sandbox)).map(({ metadata }) => metadata.uid);
    await sandbox.merge(AGENT, { spec: { template: template('web:2') } });
    expect((await images(sandbox)).filter((image) => image.endsWith('web:2'))).toHaveLength(1);
    await sandbox.untilIdle();
    expect((await livePods(sandbox)).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(await statusOf(sandbox)).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
    await sandbox.merge(AGENT, { spec: { template: template('web:2', 'debug') } });
    await sandbox.untilIdle();
    const anew = (await livePods(sandbox)).filter(({ metadata }) => !before.includes(metadata.uid));
    expect(anew).toHaveLength(3);
  });

  test('with OnDelete waits for a deletion', async () => {
    const sandbox = await running({}, 'OnDelete');
    await update(sandbox, 'web:2');
    expect(await statusOf(sandbox)).toMatchObject({ updatedNumberScheduled: 0, numberAvailable: 3 });
  });
});

test('a rollback reuses the old revision, and skips the node beyond the partition until that is lowered', async () => {
  const sandbox = await running({ partition: 2 });
  await update(sandbox, 'web:2');
  await update(sandbox, 'web:1');
  expect(await images(sandbox)).toContain('worker-3 web:2');
  expect((await sandbox.list('controllerrevisions')).map(({ revision }) => revision).sort()).toEqual([2, 3]);
  await sandbox.merge(AGENT, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
  await sandbox.untilIdle();
  expect(await images(sandbox)).not.toContain('worker-3 web:2');
});

test.each([1, 3, 8])('controllers that die after every %i writes reach the same end', async (spare) => {
  const sandbox = await running({ partition: 1, rollingUpdateType: 'InPlaceIfPossible' });
  await sandbox.stopControllers();
  await sandbox.merge(AGENT, { spec: { template: template('web:2') } });
  await sandbox.outlastDeaths(spare);
  expect(await images(sandbox)).toEqual(['worker-1 web:1', 'worker-2 web:2', 'worker-3 web:2']);
  expect(await statusOf(sandbox)).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 3 });
});
