import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { allowed } from '@/server/views/rights';
import {
  hideInAction,
  hiddenReason,
  readRightsIn,
  readRights,
  hideInText,
  allRights,
} from '@/server/views/view-rights';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');
const blind = { ...allRights, pods: { state: 'denied', why: 'No.' } } as const;

test('pods and events are seen by whom the API server lets list them', async () => {
  const cluster = new FakeCluster();
  cluster.answerAccess = ({ resource, namespace }) => ({
    allowed: resource === 'pods' && namespace === 'shop',
  });
  const rights = await readRightsIn(cluster, ana, new Set(['shop', 'pay']));
  expect(rights('shop')).toMatchObject({ pods: allowed, events: { state: 'denied' } });
  expect(rights('pay').pods).toEqual({ state: 'denied', why: 'ana is not allowed to list pods in pay.' });
  expect(rights('elsewhere').pods.state).toBe('denied');
  expect((await readRightsIn(cluster, ana, new Set()))('shop').pods.state).toBe('denied');
});

test('a right that can not be asked for hides, and fails no page', async () => {
  const cluster = new FakeCluster();
  cluster.access.can = () => Promise.reject(new AppError('cluster_unreachable', 'No route to host.'));
  const rights = await readRights(cluster, ana, 'shop');
  expect(rights.pods.state).toBe('unknown');
  expect(hiddenReason(rights)).toMatch(/^It is unknown .* No route to host\.$/);
});

test('a text loses the names of pods, the longer ones first', () => {
  const text = 'cart-1 and cart-12 restart.';
  expect(hideInText(text, ['cart-1', 'cart-12'], blind)).toBe('(hidden pod) and (hidden pod) restart.');
  expect(hideInText(text, ['cart-1', 'cart-12'], allRights)).toBe(text);
});

test('the progress of an action keeps its counts, and an answer of the API server its words', () => {
  const progress = { desired: 3, updated: 2, ready: 1 };
  const action = { state: 'following', message: 'cart-1 is starting.', progress } as const;
  expect(hideInAction(action, blind).message).toBe(
    'In progress: 2 of 3 pods updated, 1 ready. What pods and events say about it is not shown: No.',
  );
  expect(hideInAction({ ...action, progress: null }, blind).message).toBe('cart-1 is starting.');
  expect(hideInAction(action, allRights)).toBe(action);
});
