import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

/** Each of these writes a few hundred objects. */
const TIMEOUT_MS = 60_000;
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const COLLECTIONS = ['deployments', 'statefulsets', 'daemonsets'] as const;
const APPS = [...COLLECTIONS, 'replicasets', 'controllerrevisions'];

let sandboxes: TestSandbox[] = [];

async function start(): Promise<TestSandbox> {
  const sandbox = await TestSandbox.start();
  sandboxes.push(sandbox);
  return sandbox;
}

afterEach(async () => {
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  sandboxes = [];
});

function workload(kind: string, app: string, spec: JsonObject = {}): JsonObject & { kind: string } {
  const labels = { app };
  const containers = [{ name: 'app', image: 'web:1' }];
  const sized = kind === 'DaemonSet' ? {} : { replicas: 4 };
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web' },
    spec: { ...sized, selector: { matchLabels: labels }, template, ...spec },
  };
}

async function createAll(sandbox: TestSandbox): Promise<void> {
  await sandbox.create(workload('Deployment', 'd'));
  await sandbox.create(workload('StatefulSet', 's', { serviceName: 'web' }));
  await sandbox.create(workload('DaemonSet', 'a'));
}

async function setImages(sandbox: TestSandbox, image: string): Promise<void> {
  for (const collection of COLLECTIONS) await sandbox.setImage(collection, image);
}

/** The state that must not depend on restarts of the controllers. */
async function outcome(sandbox: TestSandbox): Promise<unknown> {
  const all: unknown[] = [];
  for (const collection of APPS)
    for (const { metadata, status, revision } of await sandbox.list(collection)) {
      const { conditions, observedGeneration: _observed, ...counts } = status ?? {};
      const reasons = (conditions as { type: string; reason: string }[] | undefined)?.map(
        ({ type, reason }) => `${type} ${reason}`,
      );
      all.push({
        collection,
        name: metadata.name,
        annotations: metadata.annotations,
        counts,
        reasons,
        revision,
      });
    }
  const pods = await sandbox.list('pods', '/api/v1');
  const kinds = pods.map(({ metadata, spec }) => JSON.stringify([metadata.labels, spec?.containers])).sort();
  return { all, kinds };
}

describe('controllers that are killed and restarted', () => {
  let expected: unknown;

  beforeAll(async () => {
    const calm = await start();
    await createAll(calm);
    await calm.untilIdle();
    await setImages(calm, 'web:2');
    await calm.untilIdle();
    expected = await outcome(calm);
  });

  test.each([1, 3, 8, 21, 55])('reach the same end after every %i writes', async (spare) => {
    const killed = await start();
    await createAll(killed);
    await killed.untilIdle();
    await killed.stopControllers();
    await setImages(killed, 'web:2');
    await killed.outlastDeaths(spare);
    expect(await outcome(killed)).toEqual(expected);
  });
});

test('the same inputs give the same history, including pod names and condition times', async () => {
  const histories: KubeObject[][] = [];
  for (const sandbox of [await start(), await start()]) {
    await createAll(sandbox);
    await sandbox.untilIdle();
    for (const image of ['web:2', 'web:hang', 'web:1']) {
      await setImages(sandbox, image);
      await sandbox.untilIdle(900_000);
    }
    const lists = [...APPS.map((collection) => sandbox.list(collection)), sandbox.list('pods', '/api/v1')];
    histories.push((await Promise.all(lists)).flat());
  }
  expect(histories[1]).toEqual(histories[0]);
});

test('a change that a watch has dropped does not block the controllers', async () => {
  const sandbox = await start();
  await sandbox.create(workload('Deployment', 'd'));
  await sandbox.untilIdle();
  sandbox.api.faults.add({ kind: 'lost-event' }, { resources: ['pods'] }, 1);
  await sandbox.setImage('deployments', 'web:2');
  await sandbox.untilIdle();
  expect((await sandbox.list('deployments'))[0]?.status).toMatchObject({
    updatedReplicas: 4,
    availableReplicas: 4,
  });
});

test('a rollout without progress exceeds its deadline exactly on time, and recovers', async () => {
  const sandbox = await start();
  await sandbox.create(workload('Deployment', 'd', { progressDeadlineSeconds: 600 }));
  await sandbox.untilIdle();
  await sandbox.setImage('deployments', 'web:hang');
  const begun = sandbox.clock.now();
  await sandbox.untilIdle();
  const [stuck] = await sandbox.list('deployments');
  const progressing = conditionOf(stuck, 'Progressing');
  expect(progressing).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
  const seconds = (Date.parse(progressing?.lastTransitionTime ?? '') - begun) / 1000;
  expect(seconds).toBeGreaterThan(600);
  expect(seconds).toBeLessThan(620);
  await sandbox.setImage('deployments', 'web:2');
  await sandbox.untilIdle();
  const [healed] = await sandbox.list('deployments');
  expect(conditionOf(healed, 'Progressing')?.reason).toBe('NewReplicaSetAvailable');
  expect(healed?.status).toMatchObject({ replicas: 4, updatedReplicas: 4, availableReplicas: 4 });
});

test('a pod that is too big for every node waits, reports why, and is scheduled when there is room', async () => {
  const sandbox = await start();
  const big = [{ name: 'app', image: 'web:1', resources: { requests: { cpu: '9' } } }];
  const template = { metadata: { labels: { app: 'd' } }, spec: { containers: big } };
  await sandbox.create(workload('Deployment', 'd', { template, strategy: { type: 'Recreate' } }));
  await sandbox.untilIdle();
  const waiting = (await sandbox.list('pods', '/api/v1')).filter(({ spec }) => spec?.nodeName === undefined);
  expect(waiting).toHaveLength(1);
  expect(conditionOf(waiting[0], 'PodScheduled')).toMatchObject({
    reason: 'Unschedulable',
    message:
      '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, ' +
      'preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
  });
});

interface ConditionFacts {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

function conditionOf(object: KubeObject | undefined, type: string): ConditionFacts | undefined {
  const conditions = object?.status?.conditions as ConditionFacts[] | undefined;
  return conditions?.find((condition) => condition.type === type);
}
