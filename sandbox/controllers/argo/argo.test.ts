import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { objectAt, textAt } from '@/lib/kube/read';
import { hashOf } from '@/sandbox/controllers/argo/argo-reconcile';
import {
  type ArgoResource,
  EPHEMERAL_METADATA,
  REVISION,
  REVISION_HISTORY,
} from '@/sandbox/controllers/argo/argo-rollout';
import type { ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { argoCrds } from '@/sandbox/crds/crds';

const ARGO = '/apis/argoproj.io/v1alpha1';
const GUESTBOOK = '/argoproj.io/v1alpha1/namespaces/default/rollouts/guestbook';
const STEPS = [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }, { pause: { duration: '10m' } }];

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.start();
  await sandbox.define(...argoCrds);
});
afterEach(() => sandbox.close());

async function begin(strategy: JsonObject, spec: JsonObject = {}): Promise<void> {
  const labels = { app: 'guestbook' };
  const template = { metadata: { labels }, spec: containing('1') };
  await sandbox.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'guestbook', annotations: { 'kubernetes.io/change-cause': 'first' } },
    spec: { replicas: 5, selector: { matchLabels: labels }, template, strategy, ...spec },
  });
  await sandbox.untilIdle(60_000);
}

function containing(version: string): JsonObject {
  return { containers: [{ name: 'app', image: `guestbook:${version}` }] };
}

async function write(path: string, patch: JsonObject): Promise<void> {
  await sandbox.merge(path, patch);
  await sandbox.untilIdle(60_000);
}

const ship = (version: string) => write(GUESTBOOK, { spec: { template: { spec: containing(version) } } });
/** As `kubectl argo rollouts promote` does while it is paused. */
const promote = () => write(`${GUESTBOOK}/status`, { status: { pauseConditions: null } });

async function theRollout(): Promise<ArgoResource> {
  const [rollout] = await sandbox.list('rollouts', ARGO);
  return rollout as ArgoResource;
}

async function theSets(): Promise<ReplicaSet[]> {
  const number = ({ metadata }: ReplicaSet) => Number(metadata.annotations?.[REVISION]);
  const sets = (await sandbox.list('replicasets')) as ReplicaSet[];
  return sets.toSorted((a, b) => number(a) - number(b));
}

/** Of each ReplicaSet, oldest number first: `number(former numbers) version*pods`. */
async function revisions(): Promise<string> {
  const texts = (await theSets()).map(({ metadata: { annotations = {} }, spec }) => {
    const history = annotations[REVISION_HISTORY];
    const former = history === undefined ? '' : `(${history})`;
    const version = spec.template.spec.containers[0]?.image?.replace('guestbook:', 'v');
    return `${annotations[REVISION]}${former} ${version}*${spec.replicas}`;
  });
  return texts.join(', ');
}

/** `phase message step`, as a terminal shows it. */
async function state(): Promise<string> {
  const { phase, message, currentStepIndex } = (await theRollout()).status;
  return [phase, message, currentStepIndex].filter((part) => part !== undefined).join(' ');
}

describe('a canary of five pods with two pauses', () => {
  beforeEach(() => begin({ canary: { steps: STEPS } }));

  test('skips its steps at first, goes through them for a change, and through none for a return', async () => {
    expect(await state()).toBe('Healthy 4');
    await ship('2');
    expect(await state()).toBe('Paused CanaryPauseStep 1');
    expect(await revisions()).toBe('1 v1*4, 2 v2*1');
    await ship('1');
    expect(await state()).toBe('Healthy 4');
    expect(await revisions()).toBe('2 v2*0, 3(1) v1*5');
    await ship('2');
    await promote();
    expect(await state()).toBe('Paused CanaryPauseStep 3');
    expect(await revisions()).toBe('3(1) v1*2, 4(2) v2*3');
    await sandbox.untilIdle();
    expect(await state()).toBe('Healthy 4');
    expect(await revisions()).toBe('3(1) v1*0, 4(2) v2*5');
  });

  test('does not change while a user pauses it', async () => {
    await write(GUESTBOOK, { spec: { paused: true } });
    await ship('2');
    expect(await state()).toBe('Paused manually paused 0');
    expect(await revisions()).toBe('1 v1*5, 2 v2*0');
    await write(GUESTBOOK, { spec: { paused: false } });
    expect(await state()).toBe('Paused CanaryPauseStep 1');
  });

  test('restarts every pod, a few at a time', async () => {
    const names = async () => (await sandbox.list('pods', '/api/v1')).map(({ metadata }) => metadata.name);
    const before = await names();
    await sandbox.clock.advance(5_000);
    const restartAt = new Date(sandbox.clock.now()).toISOString().replace(/\.\d+/, '');
    await sandbox.merge(GUESTBOOK, { spec: { restartAt } });
    await sandbox.untilIdle(1_000);
    expect(await state()).toBe('Progressing rollout is restarting 4');
    await sandbox.untilIdle();
    expect((await names()).filter((name) => before.includes(name))).toEqual([]);
    expect(await state()).toBe('Healthy 4');
    expect((await theRollout()).status.restartedAt).toBe(restartAt);
  });

  test('adds a number to the history whenever a copied annotation changes', async () => {
    for (const cause of ['again', 'and again'])
      await write(GUESTBOOK, { metadata: { annotations: { 'kubernetes.io/change-cause': cause } } });
    expect(await revisions()).toBe('1(1,1) v1*5');
  });

  test('scales both sides in the middle of a step', async () => {
    await ship('2');
    await write(GUESTBOOK, { spec: { replicas: 10 } });
    expect(await revisions()).toBe('1 v1*8, 2 v2*2');
  });
});

test('a template has its ReplicaSet a moment later; the controller writes the Rollout, and does not own the image', async () => {
  await begin({ canary: { steps: STEPS } }, { replicas: undefined });
  await sandbox.merge(GUESTBOOK, { spec: { template: { spec: containing('2') } } });
  await sandbox.untilIdle(100);
  expect(await revisions()).toBe('1 v1*1');
  await sandbox.untilIdle(1_000);
  const { spec, metadata, status } = await theRollout();
  expect((await theSets()).map(hashOf)).toEqual([status.stableRS, status.currentPodHash]);
  expect(spec).toMatchObject({ replicas: 1, template: { spec: { containers: [{ resources: {} }] } } });
  expect(metadata).toMatchObject({ generation: 4, annotations: { [REVISION]: '2' } });
  const own = metadata.managedFields?.find(
    ({ manager, subresource }) => manager === 'rollouts-controller' && subresource === undefined,
  );
  const fields = objectAt(
    own?.fieldsV1,
    'f:spec',
    'f:template',
    'f:spec',
    'f:containers',
    'k:{"name":"app"}',
  );
  expect(Object.keys(fields ?? {})).toEqual(['f:resources']);
});

test('a return within the rollback window takes no steps', async () => {
  const steps = [{ setWeight: 20 }, { pause: { duration: 30 } }];
  await begin({ canary: { steps } }, { rollbackWindow: { revisions: 2 } });
  await ship('2');
  await ship('3');
  await sandbox.untilIdle();
  await ship('1');
  expect(await state()).toBe('Healthy 2');
  expect(await revisions()).toBe('2 v2*0, 3 v3*0, 4(1) v1*5');
});

test('pods have the metadata of their role, and lose it with the role', async () => {
  const canaryMetadata = { labels: { role: 'canary' }, annotations: { note: 'new' } };
  const stableMetadata = { labels: { role: 'stable' } };
  await begin({ canary: { steps: [{ setWeight: 40 }, { pause: {} }], canaryMetadata, stableMetadata } });
  await ship('2');
  const roles = async () =>
    (await sandbox.list('pods', '/api/v1'))
      .map(({ metadata }) => `${metadata.labels?.role} ${metadata.annotations?.note ?? ''}`.trim())
      .sort();
  expect(await roles()).toEqual(['canary new', 'canary new', 'stable', 'stable', 'stable']);
  const [, canary] = await theSets();
  expect(canary?.metadata.annotations?.[EPHEMERAL_METADATA]).toBe(JSON.stringify(canaryMetadata));
  await promote();
  expect(await roles()).toEqual(Array.from({ length: 5 }, () => 'stable'));
  expect(await revisions()).toBe('1 v1*0, 2 v2*5');
});

describe('an analysis between the steps', () => {
  const RUNS = '/argoproj.io/v1alpha1/namespaces/default/analysisruns';
  const theRun = async () => (await sandbox.list('analysisruns', ARGO)).at(-1);
  beforeEach(async () => {
    await begin({ canary: { steps: [{ setWeight: 20 }, { analysis: { templates: [] } }] } });
    await ship('2');
  });

  test.each([
    ['Successful', 'Healthy 2', '1 v1*0, 2 v2*5'],
    [
      'Failed',
      'Degraded RolloutAborted: Rollout aborted update to revision 2: Step-based analysis phase error/failed: as told 0',
      '1 v1*5, 2 v2*0',
    ],
    ['Inconclusive', 'Paused InconclusiveAnalysisRun 1', '1 v1*4, 2 v2*1'],
  ])('holds the rollout until it is %s: %s', async (phase, after, sets) => {
    expect(await state()).toMatch(/^Progressing .* 1$/);
    const name = (await theRun())?.metadata.name ?? '';
    await write(`${RUNS}/${name}/status`, { status: { phase, message: 'as told' } });
    expect(await state()).toBe(after);
    expect(await revisions()).toBe(sets);
    await write(`${GUESTBOOK}/status`, { status: { abort: false } });
    expect((await theRun())?.metadata.name).toBe(phase === 'Failed' ? `${name}.1` : name);
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
  await begin({ canary: { steps: [{ setWeight: 20 }, { analysis }, { pause: {} }] } });
  await ship('2');
  const phase = async () => textAt((await sandbox.list('analysisruns', ARGO))[0]?.status, 'phase');
  expect(await phase()).toBe('Running');
  await sandbox.untilIdle(300_000);
  expect(await phase()).toBe('Successful');
  expect(await state()).toBe('Paused CanaryPauseStep 2');
});

test('a blue-green waits for its Service, and promotes itself after the configured delay', async () => {
  await begin({ blueGreen: { activeService: 'active', autoPromotionSeconds: 60 } });
  expect(await state()).toContain(
    'InvalidSpec: The Rollout "guestbook" is invalid: spec.strategy.blueGreen.active',
  );
  await sandbox.createService('active', { app: 'guestbook' });
  await sandbox.untilIdle(20_000);
  expect(await state()).toBe('Healthy');
  await sandbox.merge(GUESTBOOK, { spec: { template: { spec: containing('2') } } });
  await sandbox.untilIdle(10_000);
  expect(await state()).toBe('Paused BlueGreenPause');
  expect(await revisions()).toBe('1 v1*5, 2 v2*5');
  await sandbox.untilIdle();
  expect(await revisions()).toBe('1 v1*0, 2 v2*5');
  const services = await sandbox.list('services', '/api/v1');
  const active = services.find(({ metadata }) => metadata.name === 'active');
  const hash = textAt(active?.spec, 'selector', 'rollouts-pod-template-hash');
  expect(hash).toBe((await theRollout()).status.stableRS);
});
