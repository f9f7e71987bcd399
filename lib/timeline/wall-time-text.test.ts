import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWallTime, formatWallTime } from '@/lib/timeline/wall-time-text';

const shownMs = Date.parse('2026-09-17T10:00:00Z');

test('a minute of the wall clock is parsed as it was written, in every zone and on both sides of a clock change', () => {
  const minutes = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 });
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham');
  fc.assert(
    fc.property(minutes, zone, (minute, timeZone) => {
      const text = formatWallTime(minute * 60_000, timeZone);
      expect(formatWallTime(parseWallTime(text, timeZone, shownMs) ?? NaN, timeZone)).toBe(text);
    }),
  );
});

test('a time is shown with its day first and 24 hours, and parsed in the forms that people paste', () => {
  const ms = Date.parse('2026-09-17T12:05:00Z');
  expect(formatWallTime(ms, 'Europe/Berlin')).toBe('17 Sep 2026, 14:05');
  for (const text of [
    '17 Sep 2026, 14:05',
    ' 17 september 2026 14:05 ',
    '2026-09-17 14:05',
    '2026-09-17T14:05',
    '14:05',
  ]) {
    expect(parseWallTime(text, 'Europe/Berlin', shownMs)).toBe(ms);
  }
});

test.each([
  '',
  'yesterday',
  '17 Sep 2026',
  '31 Feb 2026, 10:00',
  '2026-13-01 00:00',
  '9/17/2026 14:05',
  '2:05 PM',
  '24:00',
  '14:60',
])('what is no time, or ambiguous, is not parsed: "%s"', (text) => {
  expect(parseWallTime(text, 'UTC', shownMs)).toBeNull();
});
