import { expect, test } from 'vitest';
import { podLogTail } from '@/server/cluster/logs';
import type { Cluster } from '@/server/cluster/cluster';
import type { KubeRequest } from '@/server/cluster/kube-request';
import type { Viewer } from '@/server/shared/viewer';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ann = viewerNamed('ann');

async function tailOf(text: string, maxBytes = 1000, previous = false) {
  const requests: (KubeRequest & { as: Viewer })[] = [];
  const cluster: Pick<Cluster, 'transportFor'> = {
    transportFor: (as) => ({
      json: () => Promise.reject(new Error('not used')),
      text: (request) => {
        requests.push({ ...request, as });
        return Promise.resolve(text);
      },
    }),
  };
  const tail = await podLogTail(cluster, ann, 'shop', 'cart-0', 'app', { previous, lines: 50, maxBytes });
  return { tail, request: requests[0] };
}

test('requests the last lines as the viewer', async () => {
  const { tail, request } = await tailOf('one\ntwo\r\n\nfour\n', 1000, true);
  expect(tail).toEqual({ lines: ['one', 'two', '', 'four'], truncated: false });
  expect(request).toMatchObject({
    path: '/api/v1/namespaces/shop/pods/cart-0/log',
    query: { container: 'app', previous: 'true', tailLines: '50' },
    as: ann,
  });
  expect((await tailOf('')).tail).toEqual({ lines: [], truncated: false });
});

test('cuts a long log at its beginning, by complete lines where there are any, never inside a character', async () => {
  expect((await tailOf('first\nsecond\nthird\n', 12)).tail).toEqual({ lines: ['third'], truncated: true });
  expect((await tailOf('x'.repeat(100), 10)).tail).toEqual({ lines: ['x'.repeat(10)], truncated: true });
  const { tail } = await tailOf('ä'.repeat(100), 11);
  expect(tail).toEqual({ lines: ['ä'.repeat(5)], truncated: true });
});
