import { expect, it } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { deployment, MERGE_PATCH, TestApi } from '@/sandbox/api/testing/api-client';

const PODS = '/api/v1/namespaces/default/pods';
const APPS = '/apis/apps/v1/namespaces/default';

function pod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
  };
}

/** A Deployment, its ReplicaSet and the pod of that, none of which does anything. */
async function family(api: TestApi): Promise<void> {
  const { body: owner } = await api.post(`${APPS}/deployments`, deployment('web'));
  const { spec } = deployment('web');
  const { selector, template } = spec as JsonObject;
  const set = {
    metadata: { name: 'web-1', ownerReferences: [ownerOf(owner)] },
    spec: { selector, template },
  };
  const { body: replicaSet } = await api.post(`${APPS}/replicasets`, set);
  await api.post(PODS, pod('web-1-a', {}, { ownerReferences: [ownerOf(replicaSet)] }));
}

function ownerOf({ apiVersion, kind, metadata }: JsonObject): JsonObject {
  const { name, uid } = metadata as JsonObject;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

async function left(api: TestApi): Promise<string[]> {
  const paths = [`${APPS}/deployments`, `${APPS}/replicasets`, PODS];
  const lists = await Promise.all(paths.map((path) => api.get(path)));
  return lists.flatMap(({ body }) =>
    (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name),
  );
}

it('deletes the owner last with foreground deletion', async () => {
  const api = await TestApi.start();
  await family(api);
  const patch = { metadata: { finalizers: ['example.com/hold'] } };
  await api.patch(`${PODS}/web-1-a`, patch, MERGE_PATCH);
  const { body } = await api.delete(`${APPS}/deployments/web?propagationPolicy=Foreground`);
  expect(body).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'], generation: 2 } });
  expect(await left(api)).toEqual(['web', 'web-1', 'web-1-a']);

  await api.patch(`${PODS}/web-1-a`, { metadata: { finalizers: null } }, MERGE_PATCH);
  expect(await left(api)).toEqual([]);
});

it('gives a running pod its grace period, and none to one that does not run', async () => {
  const api = await TestApi.start({ clock: { now: () => Date.parse('2026-11-01T10:00:00Z') } });
  await api.post(PODS, pod('idle'));
  await api.post(PODS, pod('busy', { terminationGracePeriodSeconds: 45 }));
  const binding = await api.post(`${PODS}/busy/binding`, { target: { kind: 'Node', name: 'n1' } });
  await api.delete(`${PODS}/idle`);
  const { body } = await api.delete(`${PODS}/busy`);

  expect(binding.code).toBe(201);
  expect(await left(api)).toEqual(['busy']);
  expect(body).toMatchObject({
    metadata: { deletionTimestamp: '2026-11-01T10:00:45Z', deletionGracePeriodSeconds: 45 },
  });
  await api.delete(`${PODS}/busy`, { body: { gracePeriodSeconds: 0 } });
  expect(await left(api)).toEqual([]);
});

it('accepts a grace period beyond 2^53, and the object can still be deleted', async () => {
  const api = await TestApi.start({ clock: { now: () => Date.parse('2026-11-01T10:00:00Z') } });
  const { metadata, spec } = pod('busy', { nodeName: 'n1' });
  const endless = JSON.stringify({ metadata, spec: { ...(spec as JsonObject), grace: 0 } });
  await api.post(PODS, endless.replace('"grace":0', '"terminationGracePeriodSeconds":9007199254740993'));
  const { body } = await api.delete(`${PODS}/busy`);

  expect((body.metadata as JsonObject).deletionTimestamp).toMatch(/^21/);
  await api.delete(`${PODS}/busy`, { body: { gracePeriodSeconds: 0 } });
  expect(await left(api)).toEqual([]);
});

it('holds an object until its last finalizer is removed', async () => {
  const api = await TestApi.start();
  await api.post(PODS, pod('a', {}, { finalizers: ['example.com/x'] }));
  await api.delete(`${PODS}/a`);
  expect(await left(api)).toEqual(['a']);

  await api.patch(`${PODS}/a`, { metadata: { finalizers: [] } }, MERGE_PATCH);
  expect(await left(api)).toEqual([]);
});

it('empties a namespace before it is deleted, and rejects new objects in it', async () => {
  const api = await TestApi.start();
  await api.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
  await api.post('/api/v1/namespaces/shop/configmaps', { metadata: { name: 'held', finalizers: ['a.b/c'] } });
  await api.post('/api/v1/namespaces/shop/configmaps', { metadata: { name: 'free' } });
  await api.delete('/api/v1/namespaces/shop');
  const refused = await api.post('/api/v1/namespaces/shop/configmaps', { metadata: { name: 'late' } });

  expect(refused.code).toBe(403);
  expect((await api.get('/api/v1/namespaces/shop')).body).toMatchObject({ status: { phase: 'Terminating' } });
  const release = { metadata: { finalizers: null } };
  await api.patch('/api/v1/namespaces/shop/configmaps/held', release, MERGE_PATCH);
  expect((await api.get('/api/v1/namespaces/shop')).code).toBe(404);
});
