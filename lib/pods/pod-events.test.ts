import { expect, test } from 'vitest';
import { withEventBlock } from '@/lib/pods/pod-events';
import { podSummaryOf } from '@/lib/pods/pod-block';
import { at, pod } from '@/lib/workloads/testing/objects';

const creating = podSummaryOf(pod('db-0', { phase: 'Pending', waiting: 'ContainerCreating' }));
const event = (reason: string, last: number) => ({
  reason,
  message: `${reason} of db-0`,
  first: at(1),
  last: at(last),
});

test('a pod that is being created waits for what its newest event names', () => {
  expect(
    withEventBlock(creating, () => [event('Scheduled', 1), event('FailedMount', 9)]).block,
  ).toMatchObject({
    kind: 'volume',
    reason: 'FailedMount',
    message: 'FailedMount of db-0',
    since: at(1),
  });
  expect(withEventBlock(creating, () => [event('FailedAttachVolume', 3)]).block?.kind).toBe('volume');
  expect(withEventBlock(creating, () => [event('FailedMount', 3), event('Pulling', 9)]).block?.kind).toBe(
    'pulling',
  );
});

test('an event that is over, or of another kind, changes nothing', () => {
  expect(withEventBlock(creating, () => [event('Pulling', 3), event('Pulled', 9)])).toBe(creating);
  expect(withEventBlock(creating, () => [])).toBe(creating);
});

test('events of a pod with a known reason are not asked', () => {
  const broken = podSummaryOf(pod('db-0', { phase: 'Pending', waiting: 'ImagePullBackOff' }));
  expect(withEventBlock(broken, () => [event('FailedMount', 9)])).toBe(broken);
});
