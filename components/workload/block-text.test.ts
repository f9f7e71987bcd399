import { expect, test } from 'vitest';
import {
  describePodBlock,
  hasLogs,
  isStarting,
  restartsText,
  withReasonOfFirst,
  describeStartingBlock,
  withoutQuote,
} from '@/components/workload/block-text';
import type { PodBlock } from '@/lib/api/pods';

const crash: PodBlock = {
  kind: 'crashLoop',
  container: 'app',
  reason: 'CrashLoopBackOff',
  message: 'back-off 5m0s',
  since: null,
  restarts: 9,
  lastTermination: { reason: 'Error', exitCode: 1, finishedAt: null },
};
const blocker = (block: PodBlock) => ({ pod: 'cart-1', podUid: 'u', revision: 5, block });

test.each([
  [crash, 'app exits with code 1'],
  [
    { ...crash, lastTermination: { reason: 'OOMKilled', exitCode: 137, finishedAt: null } },
    'app exceeds its memory limit (OOMKilled)',
  ],
  [{ ...crash, lastTermination: null }, 'app keeps exiting (CrashLoopBackOff)'],
  [{ ...crash, kind: 'unschedulable' as const }, 'cart-1 fits no node:'],
  [{ ...crash, kind: 'imagePull' as const }, 'app cannot pull its image:'],
])('%o reads "%s"', (block, text) => {
  const { subject, says } = describePodBlock('cart-1', block);
  expect(`${subject} ${says}`).toBe(text);
});

test('a message of any length is quoted in part', () => {
  const { quote } = describePodBlock('cart-1', { ...crash, kind: 'imagePull', message: 'x'.repeat(9_999) });
  expect(quote).toHaveLength(400);
});

test('restarts of pods that stop for the same reason are counted together', () => {
  const others = [
    blocker({ ...crash, restarts: 11 }),
    blocker({ ...crash, kind: 'imagePull', restarts: 99 }),
  ];
  expect(restartsText(withReasonOfFirst([blocker(crash), ...others]))).toBe(
    'restarted 9 to 11 times per pod',
  );
  expect(restartsText([blocker({ ...crash, restarts: 1 })])).toBe('restarted once');
  expect(restartsText([blocker({ ...crash, restarts: 0 })])).toBe('');
});

test('omits from the sentence the machine output that the line below shows', () => {
  const block = { ...crash, kind: 'imagePull' as const, message: 'not found' };
  expect(withoutQuote('The image cannot be pulled (not found). 4 serves.', [blocker(block)])).toBe(
    'The image cannot be pulled. 4 serves.',
  );
});

test('logs are offered only where a container ran', () => {
  expect(hasLogs(crash)).toBe(true);
  expect(hasLogs({ ...crash, kind: 'unschedulable' })).toBe(false);
});

test('treats a pod that is not ready for less than 10 min as starting, unless it gives a reason', () => {
  const since = '2026-08-01T12:00:00Z';
  const after = (minutes: number) => Date.parse(since) + minutes * 60_000;
  const starting: PodBlock = {
    ...{ kind: 'readiness', container: 'app', reason: 'ContainersNotReady', since, restarts: 0 },
    ...{ message: 'containers with unready status: [app]', lastTermination: null },
  };
  expect(isStarting(starting, after(9))).toBe(true);
  expect(isStarting(starting, after(10))).toBe(false);
  expect(isStarting({ ...starting, kind: 'imagePull' }, after(0))).toBe(false);
  expect(isStarting({ ...crash, reason: 'Error', restarts: 1 }, after(0))).toBe(false);
  expect(describeStartingBlock('cart-1', starting)).toEqual({
    subject: 'app',
    says: 'is not ready yet',
    quote: null,
  });
});
