import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWallTime, formatWallTime } from '@/lib/format/wall-time-text';

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
    '17 Sep 14:05',
    '17 sep, 14:05:00',
    '2026-09-17T12:05:00Z',
    '2026-09-17T14:05+02:00',
  ]) {
    expect(parseWallTime(text, 'Europe/Berlin', shownMs)).toBe(ms);
  }
});

test('a time without a day or a year is the last one that is not in the future', () => {
  const nowMs = Date.parse('2026-01-02T10:00:00Z');
  const parsed = (text: string) => new Date(parseWallTime(text, 'UTC', nowMs, nowMs) ?? NaN).toISOString();
  expect(parsed('09:30')).toBe('2026-01-02T09:30:00.000Z');
  expect(parsed('23:50')).toBe('2026-01-01T23:50:00.000Z');
  expect(parsed('31 Dec 23:50')).toBe('2025-12-31T23:50:00.000Z');
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
