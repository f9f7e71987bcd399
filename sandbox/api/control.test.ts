import { expect, it, vi } from 'vitest';
import { CHURN_ANNOTATION } from '@/sandbox/api/control';
import { configMap, TestApi } from '@/sandbox/api/testing/api-client';

const MAPS = '/api/v1/namespaces/default/configmaps';

it('issues another token while earlier ones have expired', async () => {
  const api = await TestApi.start();
  api.api.control({ do: 'expireToken', user: 'viewer', expired: true });
  expect((await api.get('/version', { user: 'viewer' })).code).toBe(401);

  const { body } = await api.post('/sandbox/control', JSON.stringify({ do: 'issueToken', user: 'viewer' }), {
    headers: { authorization: `Bearer ${api.api.controlToken}` },
  });
  const token = (body.tokens as Record<string, string>).viewer ?? '';

  expect((await api.get('/version', { headers: { authorization: `Bearer ${token}` } })).code).toBe(200);
  expect((await api.get('/version', { user: 'viewer' })).code).toBe(401);
  api.api.control({ do: 'expireToken', user: 'viewer', expired: false });
  expect((await api.get('/version', { user: 'viewer' })).code).toBe(200);
  expect(() => api.api.control({ do: 'issueToken', user: 'nobody-there' })).toThrow(/no user/);
});

it('stores an object that validation would reject, and sends it to watches', async () => {
  const api = await TestApi.start();
  const name = '<b>\u202egnorts\u0000</b>';
  const hostile = configMap(name, { big: 'x'.repeat(2 * 1024 * 1024) });
  expect((await api.post(MAPS, hostile)).code).toBe(422);
  const watch = await api.watch(`${MAPS}?resourceVersion=${api.api.store.version}`);

  const namespaced = { ...hostile, metadata: { name, namespace: 'default' } };
  const put = { do: 'put', resource: 'configmaps', object: namespaced } as const;
  api.api.control({ ...put, object: { ...namespaced, apiVersion: 'v1', kind: 'ConfigMap' } });
  const { metadata } = (await watch.next())?.object as { metadata: { name: string; uid: string } };
  expect(metadata.name).toBe(name);
  expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);

  api.api.control({ ...put, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: namespaced.metadata } });
  expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { metadata: { uid: metadata.uid } } });
});

it('changes objects one after the other until the requested number of changes is made', async () => {
  const api = await TestApi.start();
  for (const name of ['a', 'b']) await api.post(MAPS, configMap(name));
  const before = api.api.store.version;
  api.api.control({
    do: 'churn',
    resource: 'configmaps',
    namespace: 'default',
    perSecond: 1000,
    changes: 51,
  });

  await vi.waitUntil(() => api.api.store.version === before + 51);
  const { body } = await api.get(MAPS);
  expect(body.items).toMatchObject([
    { metadata: { name: 'a', annotations: { [CHURN_ANNOTATION]: '50' } } },
    { metadata: { name: 'b', annotations: { [CHURN_ANNOTATION]: '49' } } },
  ]);
});
