import { expect, test } from 'vitest';
import { defaultDueDay } from '@/components/review/verdict-draft';

test('a follow-up is due by default on the next Thursday that is three days away or more', () => {
  const days = ['23 Mon', '24 Tue', '25 Wed', '26 Thu', '27 Fri', '28 Sat', '29 Sun'];
  const due = days.map((day) => [day, defaultDueDay(new Date(2026, 10, Number(day.slice(0, 2)), 23, 59))]);
  expect(due).toEqual([
    ['23 Mon', '2026-11-26'],
    ['24 Tue', '2026-12-03'],
    ['25 Wed', '2026-12-03'],
    ['26 Thu', '2026-12-03'],
    ['27 Fri', '2026-12-03'],
    ['28 Sat', '2026-12-03'],
    ['29 Sun', '2026-12-03'],
  ]);
});
