import { expect, it } from 'vitest';
import { TestApi } from '@/sandbox/api/testing/api-client';
import { cloneSetCrd, customResource } from '@/sandbox/crds/crds';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/example.com/v1beta1/namespaces/default/things';
const definition = customResource({
  group: 'example.com',
  kind: 'Thing',
  plural: 'things',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['th'],
});
const thing = { metadata: { name: 'a' }, spec: { any: { field: [1] } } };

it('serves a kind from the creation of its definition until its deletion', async () => {
  const api = await TestApi.start();
  expect((await api.get(THINGS)).code).toBe(404);
  expect((await api.post(CRDS, definition)).body).toMatchObject({
    status: { conditions: [{ type: 'NamesAccepted' }, { type: 'Established', status: 'True' }] },
  });

  expect((await api.post(THINGS, thing)).body).toMatchObject({ ...thing, kind: 'Thing' });
  expect((await api.get('/apis/example.com')).body).toMatchObject({
    versions: [{ version: 'v1beta1' }, { version: 'v1alpha1' }],
  });
  expect((await api.get(THINGS.replace('v1beta1', 'v1alpha1'))).body).toMatchObject({
    apiVersion: 'example.com/v1alpha1',
    items: [thing],
  });
  const status = { status: { phase: 'Healthy' } };
  expect(
    (await api.patch(`${THINGS}/a`, status, 'application/merge-patch+json')).body.status,
  ).toBeUndefined();
  await api.patch(`${THINGS}/a/status`, status, 'application/merge-patch+json');
  await api.delete(`${CRDS}/things.example.com`);
  expect((await api.get(THINGS)).code).toBe(404);
  await api.post(CRDS, definition);
  expect((await api.get(THINGS)).body.items).toEqual([]);
});

it('scales by the paths of the definition', async () => {
  const api = await TestApi.start();
  await api.post(CRDS, cloneSetCrd);
  const sets = '/apis/apps.kruise.io/v1beta1/namespaces/default/clonesets';
  const template = { spec: { containers: [{ name: 'app', image: 'web:1' }, { name: 'log' }] } };
  await api.post(sets, { metadata: { name: 'web' }, spec: { replicas: 2, template } });
  const status = { status: { replicas: 1, labelSelector: 'app=web' } };
  await api.patch(`${sets}/web/status`, status, 'application/merge-patch+json');

  expect((await api.get(`${sets}/web/scale`)).body).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 2 },
    status: { replicas: 1, selector: 'app=web' },
  });
  await api.patch(`${sets}/web/scale`, { spec: { replicas: 3 } }, 'application/merge-patch+json');
  expect((await api.get(`${sets}/web`)).body).toMatchObject({
    metadata: { generation: 2 },
    spec: { replicas: 3, template },
  });
});
