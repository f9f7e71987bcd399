import { afterEach, expect, test, vi } from 'vitest';
import {
  canaryCompleted,
  canaryRolledBack,
  partitionedDeployment,
} from '@/sandbox/controllers/kruise/testing/recorded-timelines';
import {
  APPROVAL,
  createIngress,
  createService,
  DEPLOYMENTS,
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

let plays: RolloutSandbox[] = [];

afterEach(async () => {
  await Promise.all(plays.map((sandbox) => sandbox.close()));
  plays = [];
});

async function start(): Promise<RolloutSandbox> {
  const sandbox = await RolloutSandbox.start();
  plays.push(sandbox);
  return sandbox;
}

/** A rollback, or another rollout. */
const records = (sandbox: RolloutSandbox) =>
  recordRows(sandbox, (id) => ({ isRollback: id?.startsWith('rollback-') }));

async function startCanary(): Promise<RolloutSandbox> {
  const sandbox = await start();
  await sandbox.create('/apis/apps/v1', 'deployments', workload('web', 5, 'app:v1'));
  await createService(sandbox, 'web');
  await createIngress(sandbox, 'web');
  await sandbox.pass(20);
  const steps = [
    { traffic: '20%', replicas: 1, pause: {} },
    { traffic: '60%', replicas: '60%', pause: { duration: 3 } },
    { traffic: '100%', replicas: '100%', pause: { duration: 0 } },
  ];
  const trafficRoutings = [
    { service: 'web', gracePeriodSeconds: 1, ingress: { classType: 'nginx', name: 'web' } },
  ];
  const canary = { enableExtraWorkloadForCanary: true, steps, trafficRoutings };
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await sandbox.create('/apis/rollouts.kruise.io/v1beta1', 'rollouts', rollout('web-ro', ref, { canary }));
  await sandbox.pass(5);
  return sandbox;
}

async function ship(sandbox: RolloutSandbox, name: string, image: string): Promise<void> {
  await sandbox.merge(`${DEPLOYMENTS}/${name}`, newImage(image));
  await sandbox.pass(60);
}

test('a canary in a separate Deployment follows the recorded timeline, also when it is rolled back', async () => {
  const sandbox = await startCanary();
  await ship(sandbox, 'web', 'app:v2');
  await sandbox.merge(`${ROLLOUTS}/web-ro/status`, APPROVAL);
  await sandbox.pass(120);
  expectRecorded(sandbox, canaryCompleted);

  const mark = sandbox.changes.length;
  // So that the state between the two rollouts is observed.
  await sandbox.merge(`${ROLLOUTS}/web-ro`, { metadata: { labels: { release: 'second' } } });
  await ship(sandbox, 'web', 'app:v3');
  await ship(sandbox, 'web', 'app:v2');
  const second = timelineOf(sandbox.changes.slice(mark));
  expect(missingRows(canaryRolledBack.rollout, second.rollout)).toEqual([]);
  expect(missingRows(canaryRolledBack.batch, second.batch)).toEqual([]);
  expect(missingRows(canaryRolledBack.deployment.slice(1), second.deployment)).toEqual([]);

  expect(await records(sandbox)).toEqual([
    { isRollback: false, phase: 'pending', pods: [] },
    { isRollback: false, phase: 'completed', pods: [0, 0, 0] },
    { isRollback: false, phase: 'pending', pods: [] },
    { isRollback: true, phase: 'pending', pods: [] },
  ]);
});

test('the pods of a canary have the label of their batch, and stable ones have none', async () => {
  const sandbox = await startCanary();
  await ship(sandbox, 'web', 'app:v2');
  await sandbox.merge(`${ROLLOUTS}/web-ro/status`, APPROVAL);
  await sandbox.pass(12);
  const pods = await sandbox.list(PODS);
  const batches = pods.map(({ metadata: { labels = {} } }) => labels['rollouts.kruise.io/rollout-batch-id']);
  expect(batches.sort()).toEqual(['1', '2', '2', ...Array<undefined>(5).fill(undefined)]);
});

async function startPartition(): Promise<RolloutSandbox> {
  const sandbox = await start();
  await sandbox.create('/apis/apps/v1', 'deployments', workload('api', 4, 'app:v1'));
  await sandbox.pass(20);
  const steps = [
    { replicas: '25%', pause: {} },
    { replicas: '50%', pause: { duration: 1 } },
    { replicas: '100%', pause: { duration: 0 } },
  ];
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api' };
  const strategy = { canary: { steps } };
  await sandbox.create('/apis/rollouts.kruise.io/v1beta1', 'rollouts', rollout('api-ro', ref, strategy));
  await sandbox.pass(5);
  return sandbox;
}

test('a partitioned Deployment follows the recorded timeline', async () => {
  const sandbox = await startPartition();
  await ship(sandbox, 'api', 'app:v2');
  await sandbox.merge(`${ROLLOUTS}/api-ro/status`, APPROVAL);
  await sandbox.pass(120);
  expectRecorded(sandbox, partitionedDeployment);
});
