import { expect, test } from 'vitest';
import { isClosing } from '@/lib/queries/workload-detail';
import { sampleItem } from '@/test/samples';

const record = {
  id: 'r',
  outcome: null,
  startedAt: null,
  endedAt: null,
  actor: null,
  cause: null,
};

test('only a rollout that is over while its record is still open is about to be closed', () => {
  const { lastRollout } = sampleItem();
  if (lastRollout === null) throw new Error('no rollout');
  const open = { lastRollout: { ...lastRollout, record } };
  expect(isClosing(sampleItem(open))).toBe(true);
  expect(isClosing(sampleItem({ ...open, state: 'rolling' }))).toBe(false);
  expect(isClosing(sampleItem())).toBe(false);
  const closed = { ...record, outcome: 'completed' as const };
  expect(isClosing(sampleItem({ lastRollout: { ...lastRollout, record: closed } }))).toBe(false);
  expect(isClosing(undefined)).toBe(false);
});
