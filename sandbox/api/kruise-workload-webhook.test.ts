import { expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { objectOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';
import { kruiseCrds } from '@/sandbox/crds/crds';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const ROLLOUTS = '/apis/rollouts.kruise.io/v1beta1/namespaces/default/rollouts';
const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
const ONE = { 'rollouts.kruise.io/rollout-id': 'one' };

interface Case {
  disabled?: boolean;
  canary?: JsonObject;
  replicas?: number;
  labels?: JsonObject;
  annotations?: JsonObject;
}

async function start(options: Case = {}): Promise<TestApi> {
  const api = await TestApi.start();
  for (const crd of kruiseCrds)
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
  const { disabled = false, canary = {}, replicas = 2, annotations = {} } = options;
  const { labels = { 'rollouts.kruise.io/workload-type': 'deployment' } } = options;
  await api.post(DEPLOYMENTS, {
    metadata: { name: 'web', labels, annotations },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template('app:v1') },
  });
  const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const strategy = { canary: { steps: [{ replicas: 1 }], ...canary } };
  await api.post(ROLLOUTS, { metadata: { name: 'web' }, spec: { workloadRef, strategy, disabled } });
  return api;
}

function template(image: string): JsonObject {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } };
}

/** Whether it is paused afterwards, and by which Rollout. */
async function merge(api: TestApi, patch: JsonObject): Promise<unknown[]> {
  const { body } = await api.patch(`${DEPLOYMENTS}/web`, patch, MERGE_PATCH);
  const { paused = false } = objectOrEmptyAt(body, 'spec');
  return [paused, objectOrEmptyAt(body, 'metadata', 'annotations')[IN_PROGRESSING]];
}

const ANOTHER = { spec: { template: template('app:v2') } };
const HELD = [true, '{"rolloutName":"web"}'];

test('a Deployment with a changed template is paused by the same write, and again when it is resumed', async () => {
  const api = await start();
  expect(await merge(api, ANOTHER)).toEqual(HELD);
  expect(await merge(api, { spec: { paused: false } })).toEqual(HELD);
});

test.each<[string, Case, JsonObject]>([
  ['something else than the template changes', {}, { spec: { replicas: 3 } }],
  ['the Rollout is disabled', { disabled: true }, ANOTHER],
  ['there are no pods', { replicas: 0 }, ANOTHER],
  ['the workload is not known to a Rollout yet', { labels: {} }, ANOTHER],
  ['the rollout that its annotation names is the one before', { annotations: ONE }, ANOTHER],
  [
    'more than two versions would get traffic',
    { canary: { trafficRoutings: [{ service: 'web' }] } },
    ANOTHER,
  ],
])('a write passes through when %s', async (_why, options, patch) => {
  expect(await merge(await start(options), patch)).toEqual([false, undefined]);
});

test('another id in the annotation starts a rollout without another template', async () => {
  const api = await start({ annotations: ONE });
  const annotations = { 'rollouts.kruise.io/rollout-id': 'two' };
  expect(await merge(api, { metadata: { annotations } })).toEqual(HELD);
});
