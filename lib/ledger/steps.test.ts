import { expect, test } from 'vitest';
import { addToSteps } from '@/lib/ledger/steps';
import { World } from '@/lib/ledger/testing/world';

test('pods that took the target in place, ready all the while, are one wave that did not end before it began', () => {
  const world = new World({ keepsNumbers: true, historyLimit: 10, pods: 2 });
  const recordedAt = '2026-03-08T09:00:00Z';
  const targetPods = ['cart-a', 'cart-b'].map((name) => ({
    ...{ name, uid: name, ip: null, node: null, restarts: 1 },
    readyAt: '2026-03-01T12:00:00Z',
    createdAt: recordedAt,
  }));
  const steps = addToSteps([], { ...world.look(''), targetPods }, [], recordedAt, false);
  expect(steps).toMatchObject([
    { name: 'Wave 1', state: 'completed', startedAt: recordedAt, endedAt: recordedAt },
  ]);
  expect(steps[0]?.pods.map(({ name }) => name)).toEqual(['cart-a', 'cart-b']);
});
