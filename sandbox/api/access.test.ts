import { expect, it } from 'vitest';
import { TestApi } from '@/sandbox/api/testing/api-client';

const SHOP_PODS = '/api/v1/namespaces/shop/pods';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

it('rejects a request without a token, and what a user is not allowed to do', async () => {
  const api = await TestApi.start();
  expect(await api.get(SHOP_PODS, { user: 'nobody at all' })).toMatchObject({
    code: 401,
    body: { reason: 'Unauthorized' },
  });
  expect((await api.get(SHOP_PODS, { user: 'nobody' })).body).toMatchObject({
    code: 403,
    message:
      'pods is forbidden: User "nobody" cannot list resource "pods" in API group "" in the namespace "shop"',
    details: { kind: 'pods' },
  });
  expect((await api.get(SHOP_PODS, { user: 'reader-shop' })).code).toBe(200);
  expect((await api.get('/api/v1/pods', { user: 'reader-shop' })).code).toBe(403);
  expect(
    (await api.patch('/apis/apps/v1/namespaces/shop/deployments/a', {}, undefined, { user: 'updater' })).code,
  ).toBe(403);
});

it('answers reviews by the same table that authorizes requests', async () => {
  const api = await TestApi.start();
  const ask = async (user: string, resourceAttributes: Record<string, string>) => {
    const { body } = await api.post(
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes } },
      { user },
    );
    return (body.status as { allowed: boolean }).allowed;
  };
  const patch = { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'shop' };

  expect(await ask('patcher', patch)).toBe(true);
  expect(await ask('updater', patch)).toBe(false);
  expect(await ask('updater', { ...patch, verb: 'update' })).toBe(true);
  expect(
    await ask('operator', { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'shop' }),
  ).toBe(true);
  expect(await ask('patcher', { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'shop' })).toBe(
    false,
  );
});

it('lists the rights and the identity of a user', async () => {
  const api = await TestApi.start();
  const { body: rules } = await api.post(
    `${AUTHORIZATION}/selfsubjectrulesreviews`,
    { spec: { namespace: 'payments' } },
    { user: 'reader-shop' },
  );
  const { body: self } = await api.post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    {},
    { user: 'viewer' },
  );

  const { resourceRules } = rules.status as { resourceRules: { apiGroups: string[] }[] };
  expect(resourceRules.map(({ apiGroups }) => apiGroups)).toEqual([
    ['authorization.k8s.io'],
    ['authentication.k8s.io'],
  ]);
  expect(self.status).toMatchObject({ userInfo: { username: 'viewer', groups: ['system:authenticated'] } });
});

it('impersonates only for users who are allowed to, with every group on its own line', async () => {
  const api = await TestApi.start();
  const whoAmI = (user: string, headers: Record<string, string | string[]>) =>
    api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { user, headers });
  const acting = await whoAmI('admin', {
    'Impersonate-User': 'jane',
    'Impersonate-Group': ['devs', 'ops, and more'],
    'Impersonate-Extra-Scopes': 'view',
  });

  expect(acting.body.status).toEqual({
    userInfo: {
      username: 'jane',
      groups: ['devs', 'ops, and more', 'system:authenticated'],
      extra: { scopes: ['view'] },
    },
  });
  expect((await whoAmI('viewer', { 'Impersonate-User': 'admin' })).code).toBe(403);
  expect((await whoAmI('admin', { 'Impersonate-Group': 'devs' })).code).toBe(400);
  expect((await api.get(SHOP_PODS, { headers: { 'Impersonate-User': 'jane' } })).code).toBe(403);
});

it('reports every request, and that a watch is still open', async () => {
  const entries: string[] = [];
  const api = await TestApi.start({
    audit: ({ stage, verb, user, resource, code }) =>
      entries.push(`${stage} ${verb} ${user} ${resource} ${code ?? ''}`.trim()),
  });
  await api.get('/apis/apps/v1/deployments', { user: 'viewer' });
  const watch = await api.watch('/api/v1/pods');

  expect(entries).toEqual([
    'RequestReceived list viewer deployments.apps',
    'ResponseComplete list viewer deployments.apps 200',
    'RequestReceived watch admin pods',
  ]);
  watch.close();
  await expect.poll(() => entries.at(-1)).toBe('ResponseComplete watch admin pods 200');
});
