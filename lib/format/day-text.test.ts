import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCalendarDay, parseCalendarDay } from '@/lib/format/day-text';

test('every day is parsed as it was written', () => {
  const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(day, (date) => {
      const iso = date.toISOString().slice(0, 10);
      expect(parseCalendarDay(formatCalendarDay(iso))).toBe(iso);
      expect(parseCalendarDay(iso)).toBe(iso);
    }),
  );
  expect(formatCalendarDay('2026-11-02')).toBe('2 Nov 2026');
});

test.each(['', '22 Nov', '29 Feb 2026', '0 Nov 2026', '22 Nova 2026', '22 2026', '11/22/2026', '22.11.2026'])(
  'what is no calendar day, or an ambiguous one, is not parsed: "%s"',
  (text) => {
    expect(parseCalendarDay(text)).toBeNull();
  },
);
