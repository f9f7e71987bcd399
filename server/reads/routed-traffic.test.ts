import { expect, test } from 'vitest';
import type { RouteReading } from '@/lib/rollout/routed-traffic';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { ReadContext } from '@/server/views/context';
import { withRoutedTraffic } from '@/server/reads/routed-traffic';
import type { RolloutView } from '@/server/views/rollout-view';
import { viewerNamed } from '@/server/shared/testing/viewers';

const type = { group: 'networking.k8s.io', plural: 'ingresses', kind: 'Ingress', versions: ['v1'] };
const path = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/cart';

test('a right to a route that is taken away counts at once, though the traffic was just read', async () => {
  const cluster = new FakeCluster();
  cluster.api.json = () => Promise.resolve({ kind: 'Ingress', metadata: { selfLink: path } });
  const read: (readonly RouteReading[])[] = [];
  const traffic = (_: unknown, readings: readonly RouteReading[]) => {
    read.push(readings);
    return null;
  };
  const view = {
    system: { routing: { refs: () => [{ type, name: 'cart' }], traffic } },
    input: { object: { uid: 'uid-1', namespace: 'shop' } },
    rollout: {},
  } as unknown as RolloutView;
  const context = { cluster, now: () => 0 } as unknown as ReadContext;
  const show = () => withRoutedTraffic(context, viewerNamed('ana'), view);
  await show();
  await show();
  cluster.answerAccess = () => ({ allowed: false });
  await show();
  expect(read.flat().map(({ state }) => state)).toEqual(['found', 'unreadable']);
  expect(read[1]).toEqual([{ state: 'unreadable', reason: 'ana is not allowed to read ingresses in shop' }]);
});
