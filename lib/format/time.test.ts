import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatClock,
  formatDay,
  formatFull,
  formatOffset,
  formatRange,
  formatShort,
  nextMidnight,
  wallTime,
} from '@/lib/format/time';

const timeZone = 'Europe/Berlin';
const frame = { nowMs: Date.parse('2026-09-17T12:32:00Z'), timeZone };
const at = (text: string) => Date.parse(text);

test.each([
  ['2026-09-17T12:06:12Z', '14:06', '14:06'],
  ['2026-09-16T15:48:00Z', '16 Sep, 17:48', '16 Sep, 17:48'],
  ['2026-09-16T22:01:00Z', '00:01', '00:01'],
  ['2026-09-07T09:20:00Z', '7 Sep, 11:20', '7 Sep, 11:20'],
  ['2025-09-07T09:20:00Z', '7 Sep 2025, 11:20', '7 Sep 2025'],
  ['2026-09-18T00:00:00Z', '18 Sep, 02:00', '18 Sep, 02:00'],
])('%s reads %s, in a narrow column %s', (iso, day, short) => {
  expect(formatDay(at(iso), frame)).toBe(day);
  expect(formatShort(at(iso), frame)).toBe(short);
});

test('the full form states the zone and its offset at that time', () => {
  expect(formatFull(at('2026-09-17T12:06:12Z'), timeZone)).toBe(
    'Thursday 17 September 2026, 14:06:12, Europe/Berlin (UTC+02:00)',
  );
  expect(formatFull(at('2026-01-17T12:06:12Z'), timeZone)).toContain('(UTC+01:00)');
  expect(formatFull(at('2026-01-17T12:06:12Z'), 'UTC')).toBe('Saturday 17 January 2026, 12:06:12, UTC');
  expect(formatOffset(at('2026-01-17T12:06:12.400Z'), 'America/St_Johns')).toBe('UTC−03:30');
  expect(formatClock(at('2026-09-17T12:28:10Z'), timeZone)).toBe('14:28:10');
});

test.each([
  ['2026-09-17T12:06:00Z', '2026-09-17T12:10:00Z', '14:06–14:10'],
  ['2026-09-17T12:06:00Z', '2026-09-17T12:06:50Z', '14:06'],
  ['2026-08-29T09:00:00Z', '2026-08-31T09:00:00Z', '29–31 Aug'],
  ['2026-08-29T09:00:00Z', '2026-09-03T09:00:00Z', '29 Aug – 3 Sep'],
  ['2026-08-29T09:00:00Z', '2026-08-29T10:00:00Z', '29 Aug, 11:00–12:00'],
])('between %s and %s reads %s', (from, to, text) => {
  expect(formatRange(at(from), at(to), frame)).toBe(text);
});

describe('wallTime', () => {
  test('agrees with the platform at any time, also on the day of a clock change', () => {
    const zoneOf = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    );
    const change = Date.parse('2026-10-25T01:00:00Z');
    const ms = fc.oneof(
      fc.integer({ min: 0, max: 4e12 }),
      fc.integer({ min: change - 9e7, max: change + 9e7 }),
    );
    fc.assert(
      fc.property(ms, zoneOf, (at, zone) => {
        const wall = wallTime(at, zone);
        const platform = new Date(at).toLocaleString('sv-SE', { timeZone: zone });
        const two = (value: number) => String(value).padStart(2, '0');
        expect(
          `${wall.year}-${two(wall.month)}-${two(wall.day)} ${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}`,
        ).toBe(platform);
      }),
    );
  });

  test('moved by its offset is the same time in UTC', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e12 }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Apia'),
        (ms, zone) => {
          const wall = wallTime(ms, zone);
          const offset = /UTC([+−])(\d\d):(\d\d)/.exec(formatOffset(ms, zone)) ?? [];
          const minutes = (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === '−' ? -1 : 1);
          const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
          expect(asUtc - minutes * 60_000).toBe(Math.floor(ms / 1000) * 1000);
        },
      ),
    );
  });
});

test('each day ends at the first moment of the next one, also where the clock skips or repeats midnight', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Africa/Cairo',
    'America/Santiago',
    'Asia/Kathmandu',
  ];
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) }),
      fc.constantFrom(...zones),
      (ms, timeZone) => {
        const nextMs = nextMidnight(ms, timeZone);
        const dayOf = (at: number) => wallTime(at, timeZone).day;
        expect(nextMs).toBeGreaterThan(ms);
        expect(nextMs - ms).toBeLessThanOrEqual(25 * 3_600_000);
        expect(dayOf(nextMs)).not.toBe(dayOf(ms));
        expect(dayOf(nextMs - 1_000)).toBe(dayOf(ms));
      },
    ),
  );
});
