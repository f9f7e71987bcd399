import { describe, expect, test } from 'vitest';
import { minutesAgo, sampleRecordAnswer } from '@/test/record-samples';
import type { RecordItem } from '@/lib/api/records';
import { foldSuperseded } from '@/lib/view/fold-superseded';

const sample = sampleRecordAnswer();
const record = (id: string, minutes: number, outcome: RecordItem['outcome'], uid = 'cart'): RecordItem => ({
  ...sample,
  id,
  outcome,
  startedAt: minutesAgo(minutes),
  workload: { ...sample.workload, uid },
});
const rowsOf = (items: readonly RecordItem[], opened: readonly string[] = []) =>
  foldSuperseded(items, new Set(opened)).map(({ id, folded }) =>
    folded === undefined ? id : `${id} (${folded.map((each) => each.id).join(' ')})`,
  );

describe('superseded rollouts of one workload', () => {
  const items = [
    record('done', 1, 'completed'),
    record('c', 2, 'superseded'),
    record('other', 3, 'superseded', 'pay'),
    record('b', 4, 'superseded'),
    record('a', 5, 'superseded'),
    record('before', 6, 'completed'),
    record('z', 7, 'superseded'),
  ];

  test('are one row as long as no other outcome is between them', () => {
    expect(rowsOf(items)).toEqual(['done', 'c (b a)', 'other', 'before', 'z']);
  });

  test('are all listed in their place once the row is opened', () => {
    expect(rowsOf(items, ['c'])).toEqual(['done', 'c (b a)', 'other', 'b', 'a', 'before', 'z']);
  });

  test('of different hours are different runs', () => {
    expect(rowsOf([record('new', 1, 'superseded'), record('old', 90, 'superseded')])).toEqual(['new', 'old']);
  });
});
