import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonicalJson } from '@/lib/kube/json';
import { template } from '@/lib/workloads/testing/objects';
import { deployment, openShop, path, ref, replicaSetOf } from '@/server/actions/testing/shop';
import { hashOfText } from '@/server/archive/revisions';
import { withRequestFacts } from '@/server/shared/request-facts';
import { BearerToken } from '@/server/shared/bearer-token';
import { processViewer } from '@/server/shared/testing/viewers';
import type { Viewer } from '@/server/shared/viewer';

const hashed = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

const maja: Viewer = {
  id: 'maja',
  name: 'Maja',
  credential: { kind: 'impersonate', user: 'maja@shop.example', groups: ['ops'] },
  isProcess: false,
};

test('every line of an action has its identity, its origin, the template before and the key', async () => {
  const shop = openShop();
  const headers = {
    ...{ origin: 'https://shiplog.example', 'idempotency-key': 'k1' },
    'x-forwarded-for': '203.0.113.9',
  };
  const login = { issuer: 'https://login.example', subject: '42' };
  const request = new Request('https://shiplog.example/', { headers });
  await withRequestFacts(request, { login, session: 'abc' }, 'roll back', () =>
    shop.actions.rollback(maja, ref, shop.request()),
  );
  shop.restart();
  shop.cluster.put(replicaSetOf(4, template('2'), 2, 2));
  shop.cluster.put({ ...shop.cluster.get(path), status: deployment({}, { generation: 4 }).status });
  await shop.cluster.settled();
  const lines = shop.lines();
  expect(lines.map(({ event }) => event)).toEqual(['attempted', 'accepted', 'finished']);
  for (const line of lines) {
    expect(line).toMatchObject({
      identity: { user: 'maja@shop.example', groups: ['ops'] },
      sender: { ...login, session: 'abc', address: null, forwardedFor: '203.0.113.9' },
      origin: 'https://shiplog.example',
      fromHash: shop.keys.template(hashOfText(canonicalJson(template('3')))),
      idempotencyKey: ['k1', 'roll back'].map(hashed).join('.'),
    });
  }
});

test.each([
  ['the process', processViewer('admin'), null],
  [
    'an impersonated viewer',
    { ...maja, credential: { kind: 'impersonate', user: 'maja' } },
    { user: 'maja', groups: [] },
  ],
  [
    'a viewer with a token',
    { ...maja, credential: { kind: 'token', token: new BearerToken('of-maja') } },
    { user: 'Maja', groups: [] },
  ],
] satisfies [string, Viewer, object | null][])('has the identity of %s', async (_who, viewer, identity) => {
  const shop = openShop();
  await shop.actions.rollback(viewer, ref, shop.request());
  expect(shop.lines().map((line) => line.identity)).toEqual([identity, identity]);
  expect(JSON.stringify(shop.lines())).not.toContain('of-maja');
});

test('a rejection names its reason', async () => {
  const shop = openShop();
  await expect(shop.rollback({ to: 3 })).rejects.toMatchObject({ code: 'refused' });
  const [line] = shop.lines();
  expect(line).toMatchObject({ event: 'refused', code: 'refused', identity: { user: 'ana' }, origin: null });
  expect(line?.findings?.length).toBeGreaterThan(0);
  expect(line?.findings?.every(({ code, message }) => code !== '' && message !== '')).toBe(true);
});
