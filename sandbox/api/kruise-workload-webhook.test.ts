import { describe, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { objectOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';
import { kruiseCrds } from '@/sandbox/crds/kruise';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const ROLLOUTS = '/apis/rollouts.kruise.io/v1beta1/namespaces/default/rollouts';
const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';

interface Case {
  rollout?: JsonObject;
  strategy?: JsonObject;
  replicas?: number;
  labels?: JsonObject;
  annotations?: JsonObject;
}

async function start(options: Case = {}): Promise<TestApi> {
  const api = await TestApi.start();
  for (const crd of kruiseCrds)
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
  const {
    rollout = {},
    strategy = { canary: { steps: [{ replicas: 1 }] } },
    replicas = 2,
    annotations = {},
  } = options;
  const { labels = { 'rollouts.kruise.io/workload-type': 'deployment' } } = options;
  await api.post(DEPLOYMENTS, {
    metadata: { name: 'web', labels, annotations },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template('app:v1') },
  });
  await api.post(ROLLOUTS, {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name: 'web' },
    spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, strategy, ...rollout },
  });
  return api;
}

function template(image: string): JsonObject {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } };
}

async function merge(api: TestApi, patch: JsonObject): Promise<JsonObject> {
  const { body } = await api.patch(`${DEPLOYMENTS}/web`, patch, MERGE_PATCH);
  return body;
}

const ANOTHER = { spec: { template: template('app:v2') } };

function isHeld(object: JsonObject): boolean {
  return IN_PROGRESSING in objectOrEmptyAt(object, 'metadata', 'annotations');
}

test('a Deployment with a changed template is paused by the same write', async () => {
  const api = await start();
  const object = await merge(api, ANOTHER);
  expect(objectOrEmptyAt(object, 'spec').paused).toBe(true);
  expect(objectOrEmptyAt(object, 'metadata', 'annotations')[IN_PROGRESSING]).toBe('{"rolloutName":"web"}');
});

test('a Deployment that is resumed in the middle of a rollout is paused again', async () => {
  const api = await start();
  await merge(api, ANOTHER);
  const resumed = await merge(api, { spec: { paused: false } });
  expect(objectOrEmptyAt(resumed, 'spec').paused).toBe(true);
});

describe('passes a write through', () => {
  test('that changes something else than the template', async () => {
    const api = await start();
    expect(isHeld(await merge(api, { spec: { replicas: 3 } }))).toBe(false);
  });

  test.each<[string, Case]>([
    ['the Rollout is disabled', { rollout: { disabled: true } }],
    ['there are no pods', { replicas: 0 }],
    ['the workload is not known to a Rollout yet', { labels: {} }],
    [
      'the rollout that its annotation names is the one before',
      { annotations: { 'rollouts.kruise.io/rollout-id': 'one' } },
    ],
    [
      'traffic would be shared among other than one version',
      { strategy: { canary: { steps: [{ replicas: 1 }], trafficRoutings: [{ service: 'web' }] } } },
    ],
  ])('when %s', async (_why, options) => {
    const api = await start(options);
    expect(isHeld(await merge(api, ANOTHER))).toBe(false);
  });
});

test('another id in the annotation starts a rollout without another template', async () => {
  const api = await start({ annotations: { 'rollouts.kruise.io/rollout-id': 'one' } });
  const patch = { metadata: { annotations: { 'rollouts.kruise.io/rollout-id': 'two' } } };
  expect(isHeld(await merge(api, patch))).toBe(true);
});
