import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { REVISION } from '@/sandbox/controllers/argo/argo-rollout';
import {
  ARGO,
  GUESTBOOK,
  guestbook,
  hashLabelOf,
  revisionHistory,
  installArgo,
  setOf,
  statusText,
  theRollout,
} from '@/sandbox/controllers/argo/testing/guestbook';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.start();
  await installArgo(sandbox);
});
afterEach(() => sandbox.close());

const STEPS = [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }, { pause: { duration: '10m' } }];

async function begin(canary: JsonObject, spec: JsonObject = {}): Promise<void> {
  await sandbox.create(guestbook({ canary }, spec));
  await sandbox.untilIdle();
}

async function ship(version: string, metadata: JsonObject = {}): Promise<void> {
  const containers = [{ name: 'app', image: `guestbook:${version}` }];
  await sandbox.merge(GUESTBOOK, { metadata, spec: { template: { spec: { containers } } } });
  await sandbox.untilIdle(60_000);
}

async function write(path: string, patch: JsonObject): Promise<void> {
  await sandbox.merge(path, patch);
  await sandbox.untilIdle(60_000);
}

/** As `kubectl argo rollouts promote` does while it is paused. */
const promote = () => write(`${GUESTBOOK}/status`, { status: { pauseConditions: null } });
const pods = async () => (await revisionHistory(sandbox)).map((line) => line.split(' ')[1]).join(' ');

describe('a canary of five pods with two pauses', () => {
  beforeEach(() => begin({ steps: STEPS }));

  test('skips its steps at first, and goes through them for a change', async () => {
    expect(await statusText(sandbox)).toBe('Healthy 4');
    expect(await revisionHistory(sandbox)).toEqual(['1 v1*5']);
    const { status } = await theRollout(sandbox);
    expect(status).toMatchObject({
      observedGeneration: '2',
      replicas: 5,
      availableReplicas: 5,
      selector: 'app=guestbook',
    });
    expect(status.stableRS).toBe(hashLabelOf(await setOf(sandbox, '1')));

    await ship('2', { annotations: { 'kubernetes.io/change-cause': 'second' } });
    expect(await statusText(sandbox)).toBe('Paused CanaryPauseStep 1');
    expect(await revisionHistory(sandbox)).toEqual(['1 v1*4', '2 v2*1']);
    expect((await theRollout(sandbox)).status).toMatchObject({
      controllerPause: true,
      pauseConditions: [{ reason: 'CanaryPauseStep' }],
      updatedReplicas: 1,
    });
    expect((await setOf(sandbox, '2')).metadata.annotations).toMatchObject({
      'kubernetes.io/change-cause': 'second',
    });

    await promote();
    expect(await statusText(sandbox)).toBe('Paused CanaryPauseStep 3');
    expect(await pods()).toBe('v1*2 v2*3');
    await sandbox.untilIdle();
    expect(await statusText(sandbox)).toBe('Healthy 4');
    expect(await pods()).toBe('v1*0 v2*5');
    expect((await theRollout(sandbox)).metadata.annotations).toMatchObject({
      'rollout.argoproj.io/revision': '2',
    });
  });

  test('returns to its stable pods when it is aborted, and starts over when it is retried', async () => {
    await ship('2');
    await write(`${GUESTBOOK}/status`, { status: { abort: true } });
    expect(await statusText(sandbox)).toBe('Degraded RolloutAborted: Rollout aborted update to revision 2 0');
    expect(await pods()).toBe('v1*5 v2*0');
    const { status } = await theRollout(sandbox);
    expect(status.currentPodHash).not.toBe(status.stableRS);
    await write(`${GUESTBOOK}/status`, { status: { abort: false } });
    expect(await statusText(sandbox)).toBe('Paused CanaryPauseStep 1');
    expect(await pods()).toBe('v1*4 v2*1');
  });

  test('completes at once when it is promoted in full', async () => {
    await ship('2');
    await write(`${GUESTBOOK}/status`, { status: { promoteFull: true } });
    expect(await statusText(sandbox)).toBe('Healthy 4');
    expect(await pods()).toBe('v1*0 v2*5');
    expect((await theRollout(sandbox)).status.promoteFull).toBeUndefined();
  });

  test('does not change while a user pauses it', async () => {
    await write(GUESTBOOK, { spec: { paused: true } });
    await ship('2');
    expect(await statusText(sandbox)).toBe('Paused manually paused 0');
    expect(await pods()).toBe('v1*5 v2*0');
    await write(GUESTBOOK, { spec: { paused: false } });
    expect(await statusText(sandbox)).toBe('Paused CanaryPauseStep 1');
  });

  test('returns to the stable pods without steps, and renumbers them', async () => {
    await ship('2');
    await ship('1');
    expect(await statusText(sandbox)).toBe('Healthy 4');
    expect(await revisionHistory(sandbox)).toEqual(['2 v2*0', '3(1) v1*5']);
  });

  test('restarts every pod, a few at a time', async () => {
    const before = (await sandbox.list('pods', '/api/v1')).map(({ metadata }) => metadata.name);
    await sandbox.untilIdle(5_000);
    const restartAt = new Date(sandbox.clock.now()).toISOString().replace(/\.\d+/, '');
    await sandbox.merge(GUESTBOOK, { spec: { restartAt } });
    await sandbox.untilIdle(1_000);
    expect(await statusText(sandbox)).toBe('Progressing rollout is restarting 4');
    await sandbox.untilIdle();
    const after = (await sandbox.list('pods', '/api/v1')).map(({ metadata }) => metadata.name);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    expect(await statusText(sandbox)).toBe('Healthy 4');
    expect((await theRollout(sandbox)).status.restartedAt).toBe(restartAt);
  });

  test('adds a number to the history whenever a copied annotation changes', async () => {
    const annotate = (cause: string) =>
      write(GUESTBOOK, { metadata: { annotations: { 'kubernetes.io/change-cause': cause } } });
    await annotate('again');
    await annotate('and again');
    expect(await revisionHistory(sandbox)).toEqual(['1(1,1) v1*5']);
  });

  test('scales both sides in the middle of a step', async () => {
    await ship('2');
    await write(GUESTBOOK, { spec: { replicas: 10 } });
    expect(await pods()).toBe('v1*8 v2*2');
    expect((await setOf(sandbox, '1')).metadata.annotations).toMatchObject({
      'rollout.argoproj.io/desired-replicas': '10',
    });
  });
});

describe('after a template was written', () => {
  const containers = [{ name: 'app', image: 'guestbook:2' }];
  const numbers = async () => (await revisionHistory(sandbox)).map((line) => line.split(' ')[0]);
  beforeEach(async () => {
    await begin({ steps: STEPS }, { replicas: undefined });
    await sandbox.merge(GUESTBOOK, { spec: { template: { spec: { containers } } } });
  });

  test('the ReplicaSet is created a moment later, together with the status', async () => {
    const { currentPodHash } = (await theRollout(sandbox)).status;
    await sandbox.untilIdle(100);
    expect(await numbers()).toEqual(['1']);
    expect((await theRollout(sandbox)).status.currentPodHash).toBe(currentPodHash);
    await sandbox.untilIdle(400);
    expect(await numbers()).toEqual(['1', '2']);
    expect((await theRollout(sandbox)).status.currentPodHash).toBe(hashLabelOf(await setOf(sandbox, '2')));
  });

  test('the controller updates the Rollout once more, and does not own the image', async () => {
    await sandbox.untilIdle(1_000);
    const { spec, metadata } = await theRollout(sandbox);
    expect(spec).toMatchObject({ replicas: 1, template: { spec: { containers: [{ resources: {} }] } } });
    expect(metadata).toMatchObject({ generation: 4, annotations: { [REVISION]: '2' } });
    const containerFields = (owner: string) =>
      metadata.managedFields?.flatMap(({ manager, fieldsV1 }) => {
        const fields = objectAt(fieldsV1, 'f:spec', 'f:template', 'f:spec', 'f:containers');
        const container = objectAt(fields, 'k:{"name":"app"}');
        return manager === owner && container !== undefined ? Object.keys(container) : [];
      });
    expect(containerFields('rollouts-controller')).toEqual(['f:resources']);
  });
});

test('a return within the rollback window takes no steps', async () => {
  await begin(
    { steps: [{ setWeight: 20 }, { pause: { duration: 30 } }] },
    { rollbackWindow: { revisions: 2 } },
  );
  await ship('2');
  await ship('3');
  await sandbox.untilIdle();
  await ship('1');
  expect(await statusText(sandbox)).toBe('Healthy 2');
  expect(await revisionHistory(sandbox)).toEqual(['2 v2*0', '3 v3*0', '4(1) v1*5']);
});

test('pods have the ephemeral metadata of their role, and lose it with the role', async () => {
  await begin({
    steps: [{ setWeight: 40 }, { pause: {} }],
    canaryMetadata: { labels: { role: 'canary' }, annotations: { note: 'new' } },
    stableMetadata: { labels: { role: 'stable' } },
  });
  await ship('2');
  const roles = async () =>
    (await sandbox.list('pods', '/api/v1'))
      .map(({ metadata }) => `${metadata.labels?.role} ${metadata.annotations?.note ?? ''}`.trim())
      .sort();
  expect(await roles()).toEqual(['canary new', 'canary new', 'stable', 'stable', 'stable']);
  expect((await setOf(sandbox, '2')).metadata.annotations?.['rollout.argoproj.io/ephemeral-metadata']).toBe(
    '{"labels":{"role":"canary"},"annotations":{"note":"new"}}',
  );
  await promote();
  await sandbox.untilIdle();
  expect(await roles()).toEqual(Array.from({ length: 5 }, () => 'stable'));
  expect((await setOf(sandbox, '1')).spec.template.metadata?.labels).not.toHaveProperty('role');
  expect(await revisionHistory(sandbox)).toEqual(['1 v1*0', '2 v2*5']);
});

describe('an analysis between the steps', () => {
  const RUNS = '/argoproj.io/v1alpha1/namespaces/default/analysisruns';
  const run = async () => (await sandbox.list('analysisruns', ARGO)).at(-1)?.metadata.name ?? '';
  const end = async (phase: string) =>
    write(`${RUNS}/${await run()}/status`, { status: { phase, message: 'as told' } });
  beforeEach(async () => {
    await begin({ steps: [{ setWeight: 20 }, { analysis: { templates: [{ templateName: 'ok' }] } }] });
    await ship('2');
  });

  test('holds the rollout until it succeeds', async () => {
    expect(await statusText(sandbox)).toMatch(/^Progressing .* 1$/);
    expect(await run()).toBe(`guestbook-${hashLabelOf(await setOf(sandbox, '2'))}-2-1`);
    expect((await theRollout(sandbox)).status.canary?.currentStepAnalysisRunStatus).toEqual({
      name: await run(),
      status: 'Running',
    });
    await end('Successful');
    expect(await statusText(sandbox)).toBe('Healthy 2');
  });

  test('aborts the rollout when it fails, and is created once more for a retry', async () => {
    await end('Failed');
    expect(await statusText(sandbox)).toBe(
      'Degraded RolloutAborted: Rollout aborted update to revision 2: Step-based analysis phase error/failed: as told 0',
    );
    expect(await pods()).toBe('v1*5 v2*0');
    await write(`${GUESTBOOK}/status`, { status: { abort: false } });
    expect(await run()).toMatch(/-2-1\.1$/);
  });

  test('pauses the rollout when it is inconclusive', async () => {
    await end('Inconclusive');
    expect(await statusText(sandbox)).toBe('Paused InconclusiveAnalysisRun 1');
    await write(`${GUESTBOOK}/status`, {
      status: { pauseConditions: null, controllerPause: false, currentStepIndex: 2 },
    });
    expect(await statusText(sandbox)).toBe('Healthy 2');
  });
});

test('an analysis with metrics completes when they have been measured', async () => {
  await sandbox.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisTemplate',
    metadata: { name: 'errors' },
    spec: { metrics: [{ name: 'error-rate', interval: '1m', count: 5 }] },
  });
  const analysis = { templates: [{ templateName: 'errors' }] };
  await begin({ steps: [{ setWeight: 20 }, { analysis }, { pause: {} }] });
  await ship('2');
  await sandbox.untilIdle(100_000);
  const measured = async () => (await sandbox.list('analysisruns', ARGO))[0]?.status;
  expect(await measured()).toMatchObject({ phase: 'Running' });
  await sandbox.untilIdle(300_000);
  expect(await measured()).toMatchObject({
    phase: 'Successful',
    metricResults: [{ name: 'error-rate', phase: 'Successful', count: 5 }],
  });
  expect(await statusText(sandbox)).toBe('Paused CanaryPauseStep 2');
});
