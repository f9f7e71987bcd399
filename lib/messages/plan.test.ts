import { describe, expect, test } from 'vitest';
import type { PodMove } from '@/lib/engine/update';
import { describeHeld, describeRollback, formatStrategy, notRolledBack } from '@/lib/messages/plan';

const moveOf = (names: readonly string[] | null, number: number, kept = 0): PodMove => ({
  unit: 'pod',
  moving: { number, names },
  held: { number: 0, names: [] },
  kept,
  others: [],
  blocking: null,
});

describe('what a rollback does to pods', () => {
  test.each([
    [moveOf(['db-1'], 1), ['1 pod (db-1) is replaced by a pod of revision 3, one by one.']],
    [
      moveOf(['db-1', 'db-0'], 2, 1),
      [
        '2 pods (db-1 and db-0) are replaced by pods of revision 3, one by one.',
        '1 other pod keeps running.',
      ],
    ],
    [
      moveOf(null, 4, 2),
      ['4 pods are replaced by pods of revision 3, one by one.', '2 other pods keep running.'],
    ],
    [moveOf([], 0, 2), ['No pod changes.']],
  ])('is said in the singular and in the plural, and names pods where they are known', (move, steps) => {
    const rollback = { move, mover: { by: 'controller' }, difference: null } as const;
    expect(describeRollback(rollback, '3', 'one by one')).toEqual(steps);
  });
});

test.each([
  ['db-0', 1, 'Partition 2 holds db-0: it is not rolled back to revision 3.'],
  ['db-0 and db-1', 2, 'Partition 2 holds db-0 and db-1: they are not rolled back to revision 3.'],
])('what a partition holds agrees with the number: %s', (who, number, sentence) => {
  expect(describeHeld({ partition: 2 }, who, number, notRolledBack('3'))).toBe(sentence);
});

test.each([
  [{}, 'RollingUpdate'],
  [{ partition: 0, surge: '0%' }, 'RollingUpdate'],
  [
    { partition: '60%', inPlace: 'only', surge: 1, unavailable: 0, isPaused: true },
    'RollingUpdate, partition 60%, in place only, surge 1, unavailable 0, paused',
  ],
] as const)('a strategy leaves out what has no effect: %j', (rolling, text) => {
  expect(formatStrategy('RollingUpdate', rolling)).toBe(text);
});
