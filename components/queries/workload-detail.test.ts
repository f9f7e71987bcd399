import { expect, test } from 'vitest';
import { isRecordClosing } from '@/components/queries/workload-detail';
import { sampleItem } from '@/test/samples';

const record = {
  id: 'r',
  outcome: null,
  startedAt: null,
  endedAt: null,
  actor: null,
  cause: null,
};

test('treats a record as about to close only when its rollout has ended and the record is open', () => {
  const { lastRollout } = sampleItem();
  if (lastRollout === null) throw new Error('no rollout');
  const open = { lastRollout: { ...lastRollout, record } };
  expect(isRecordClosing(sampleItem(open))).toBe(true);
  expect(isRecordClosing(sampleItem({ ...open, state: 'rolling' }))).toBe(false);
  expect(isRecordClosing(sampleItem())).toBe(false);
  const closed = { ...record, outcome: 'completed' as const };
  expect(isRecordClosing(sampleItem({ lastRollout: { ...lastRollout, record: closed } }))).toBe(false);
  expect(isRecordClosing(undefined)).toBe(false);
});
