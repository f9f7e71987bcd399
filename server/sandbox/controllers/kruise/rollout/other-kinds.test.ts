import { afterEach, expect, test, vi } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { objectAt, textAt } from '@/lib/workloads/read';
import {
  APPROVAL,
  newImage,
  PODS,
  rollout,
  ROLLOUTS,
  workload,
} from '@/server/sandbox/controllers/kruise/testing/rollout-manifests';
import { RolloutPlay } from '@/server/sandbox/controllers/kruise/testing/rollout-play';

vi.setConfig({ testTimeout: 60_000 });

let play: RolloutPlay;

afterEach(() => play.close());

async function start(apiVersion: string, kind: string, spec: JsonObject): Promise<string> {
  play = await RolloutPlay.start();
  const group = `/apis/${apiVersion}`;
  const plural = `${kind.toLowerCase()}s`;
  const manifest = workload('db', 3, 'db:v1');
  const { replicas: _replicas, ...rest } = objectAt(manifest, 'spec') ?? {};
  const sized = kind === 'DaemonSet' ? rest : manifest.spec;
  await play.create(group, plural, { ...manifest, spec: { ...(sized as JsonObject), ...spec } });
  await play.pass(60);
  const steps = [
    { replicas: 1, pause: {} },
    { replicas: '100%', pause: {} },
  ];
  const ref = { apiVersion, kind, name: 'db' };
  const canary = { canary: { steps } };
  await play.create('/apis/rollouts.kruise.io/v1beta1', 'rollouts', rollout('db', ref, canary));
  await play.pass(10);
  return `${group}/namespaces/default/${plural}/db`;
}

async function images(): Promise<string[]> {
  const pods = await play.list(PODS);
  return pods
    .map(({ metadata, spec }) => {
      const [container] = (spec?.containers ?? []) as { image: string }[];
      return `${container?.image ?? ''} ${metadata.labels?.['rollouts.kruise.io/rollout-batch-id'] ?? '-'}`;
    })
    .sort();
}

async function state(): Promise<string> {
  const { status } = await play.get(`${ROLLOUTS}/db`);
  return `${textAt(status, 'phase') ?? ''} ${textAt(status, 'canaryStatus', 'currentStepState') ?? ''}`;
}

test.each([
  ['apps/v1', 'StatefulSet', { serviceName: 'db' }],
  ['apps.kruise.io/v1beta1', 'StatefulSet', { serviceName: 'db' }],
  ['apps.kruise.io/v1beta1', 'DaemonSet', {}],
])('%s %s: released by its partition', async (apiVersion, kind, spec) => {
  const path = await start(apiVersion, kind, spec);
  await play.merge(path, newImage('db:v2'));
  await play.pass(120);
  expect(await state()).toBe('Progressing StepPaused');
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v2 1']);
  await play.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await play.pass(120);
  expect(await state()).toBe('Healthy Completed');
  expect(await images()).toEqual(['db:v2 1', 'db:v2 2', 'db:v2 2']);
});

async function startCloneSet(annotations: Record<string, string> = {}): Promise<string> {
  const path = await start('apps.kruise.io/v1beta1', 'CloneSet', {});
  await play.merge(`${ROLLOUTS}/db`, { metadata: { annotations } });
  await play.merge(path, newImage('db:v2'));
  await play.pass(60);
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v2 1']);
  return path;
}

test('a CloneSet that is rolled back has its partition taken away and its old pods back', async () => {
  const path = await startCloneSet();
  await play.merge(path, newImage('db:v1'));
  await play.pass(60);
  expect(await state()).toBe('Healthy StepPaused');
  expect((await images()).map((text) => text.slice(0, 5))).toEqual(['db:v1', 'db:v1', 'db:v1']);
  const { spec } = await play.get(path);
  expect(objectAt(spec, 'updateStrategy', 'rollingUpdate')?.partition ?? 0).toBe(0);
});

test('a CloneSet that is rolled back in batches goes through the steps again, until every pod is old', async () => {
  const path = await startCloneSet({ 'rollouts.kruise.io/rollback-in-batch': 'true' });
  await play.merge(path, newImage('db:v1'));
  await play.pass(60);
  expect(await state()).toBe('Progressing StepPaused');
  const { status } = await play.get(`${ROLLOUTS}/db`);
  expect(objectAt(status, 'canaryStatus')?.currentStepIndex).toBe(1);
  await play.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await play.pass(60);
  expect(await state()).toBe('Healthy Completed');
  expect((await images()).map((text) => text.slice(0, 5))).toEqual(['db:v1', 'db:v1', 'db:v1']);
});

test('a third version of a CloneSet starts over at the first step', async () => {
  const path = await startCloneSet();
  await play.merge(path, newImage('db:v3'));
  await play.pass(120);
  expect(await state()).toBe('Progressing StepPaused');
  expect((await images()).filter((text) => text.startsWith('db:v3'))).toEqual(['db:v3 1']);
});

test('a jump to the present step runs it again', async () => {
  await startCloneSet();
  await play.merge(`${ROLLOUTS}/db/status`, { status: { canaryStatus: { nextStepIndex: 1 } } });
  await play.pass(60);
  expect(await state()).toBe('Progressing StepPaused');
  await play.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await play.pass(60);
  expect(await state()).toBe('Healthy Completed');
});

test('a CloneSet that keeps its strategy where v1alpha1 has it is released all the same', async () => {
  const flat = { updateStrategy: { type: 'ReCreate', maxUnavailable: 1 } };
  const path = await start('apps.kruise.io/v1beta1', 'CloneSet', flat);
  await play.merge(path, newImage('db:v2'));
  await play.pass(60);
  expect(await images()).toEqual(['db:v1 -', 'db:v1 -', 'db:v2 1']);
  await play.merge(`${ROLLOUTS}/db/status`, APPROVAL);
  await play.pass(60);
  expect(await state()).toBe('Healthy Completed');
  expect((await play.get(path)).spec?.updateStrategy).toEqual(flat.updateStrategy);
});
