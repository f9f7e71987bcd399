import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daysOfPeriod, readPeriod, shiftWeek, weekOf } from '@/components/review/period';

describe('the period of an address', () => {
  test('is a duration back from now, a week from Monday to Sunday, or days with both ends', () => {
    expect(readPeriod('30d')).toMatchObject({ kind: '30d', from: '30d', title: 'Last 30 days' });
    const week = readPeriod('2026-W47');
    expect(week).toMatchObject({ kind: 'week', title: 'Week 47, 16–22 Nov 2026' });
    expect(new Date(week.from)).toEqual(new Date(2026, 10, 16));
    expect(new Date(week.to ?? '')).toEqual(new Date(2026, 10, 23));
    expect(readPeriod('2026-10-30..2026-11-02').title).toBe('30 Oct – 2 Nov 2026');
    expect(daysOfPeriod(readPeriod('2026-10-30..2026-11-02'))).toEqual({
      first: '2026-10-30',
      last: '2026-11-02',
    });
    expect(daysOfPeriod(readPeriod('7d'), new Date(2026, 10, 21))).toEqual({
      first: '2026-11-15',
      last: '2026-11-21',
    });
  });

  test.each(['', '8d', '2026-W00', '2026-W99', '2026-02-30..2026-03-02', '2026-03-02..2026-03-01', '<b>'])(
    '%j means seven days',
    (text) => expect(readPeriod(text).kind).toBe('7d'),
  );

  test('parses a week to the days that it contains, and its neighbors are seven days away', () => {
    const anyDay = fc.date({ min: new Date(2000, 0, 1), max: new Date(2099, 0, 1), noInvalidDate: true });
    fc.assert(
      fc.property(anyDay, (day) => {
        const week = readPeriod(weekOf(day));
        expect(Date.parse(week.from)).toBeLessThanOrEqual(day.getTime());
        expect(Date.parse(week.to ?? '')).toBeGreaterThan(day.getTime());
        expect(readPeriod(shiftWeek(weekOf(day), 1)).from).toBe(week.to);
        expect(shiftWeek(shiftWeek(weekOf(day), -1), 1)).toBe(weekOf(day));
      }),
    );
  });
});
