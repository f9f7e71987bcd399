import { expect, test } from 'vitest';
import { withBlockedPods } from '@/lib/rollout/blocked-pods';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';

test('a rollout that its pods stall has a message without them, for viewers who can not list pods', () => {
  const pod = { name: 'cart-1', ready: false, blocked: 'app exits with code 1' };
  const rollout = {
    state: 'progressing',
    step: { index: 2, total: 4 },
    message: 'Step 2 of 4 is in progress.',
    steps: [{ pods: [pod] }],
    unassignedPods: [],
    revisions: { updated: null },
  } as unknown as ProgressiveRollout;
  expect(withBlockedPods(rollout, { state: 'missing' })).toMatchObject({
    state: 'stalled',
    message: 'Step 2 of 4 is stalled: cart-1: app exits with code 1.',
    messageWithoutPods: 'Step 2 of 4 is stalled.',
  });
  const ready = { ...rollout, steps: [{ pods: [{ ...pod, ready: true }] }] } as unknown as ProgressiveRollout;
  expect(withBlockedPods(ready, { state: 'missing' })).toBe(ready);
});
