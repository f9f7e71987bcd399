import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAxis, piecesOf } from '@/lib/timeline/axis';
import { fittingRange, HOUR_MS, rangeStart } from '@/lib/timeline/timeline-range';
import { ticksOf } from '@/lib/timeline/ticks';

const now = Date.parse('2026-09-17T12:32:00Z');
const WEEK = 7 * 24 * HOUR_MS;

test('an hour has one scale, in a longer range the last hour has a scale of its own', () => {
  expect(createAxis(now - HOUR_MS, now, 0, 900)).toMatchObject({ breakAt: null, nowX: 900 });
  const axis = createAxis(now - 3 * WEEK, now, 0, 900);
  expect(axis.panels).toHaveLength(2);
  expect(axis.panels[1]).toMatchObject({ fromMs: now - HOUR_MS, toMs: now, right: 900 });
  expect(axis.x(now - HOUR_MS)).toBe(axis.panels[1]?.left);
});

test('later is never further left, and no time lies in the break', () => {
  const axis = createAxis(now - 3 * WEEK, now, 100, 1000);
  fc.assert(
    fc.property(
      fc.integer({ min: now - 4 * WEEK, max: now + WEEK }),
      fc.integer({ min: 0, max: WEEK }),
      (ms, later) => {
        expect(axis.x(ms + later)).toBeGreaterThanOrEqual(axis.x(ms));
        const x = axis.x(ms);
        expect(x >= 100 && x <= 1000).toBe(true);
        expect(axis.breakAt && x > axis.breakAt.left && x < axis.breakAt.right).toBe(false);
      },
    ),
  );
});

test('a range across the break has a slice on each side of it', () => {
  const axis = createAxis(now - WEEK, now, 0, 900);
  const pieces = piecesOf(axis, now - 2 * WEEK, now);
  expect(pieces).toEqual([
    { left: 0, right: axis.breakAt?.left, cutLeft: true, cutRight: true },
    { left: axis.breakAt?.right, right: 900, cutLeft: true, cutRight: false },
  ]);
  expect(piecesOf(axis, now - 3 * WEEK, now - 2 * WEEK)).toEqual([]);
  expect(piecesOf(axis, now, now)).toHaveLength(1);
});

test('ticks are at round times of the zone, also across a clock change', () => {
  const from = Date.parse('2026-10-23T12:00:00Z');
  const ticks = ticksOf(
    { fromMs: from, toMs: from + 5 * 24 * HOUR_MS, left: 0, right: 600 },
    'Europe/Berlin',
    62,
  );
  expect(ticks.map(({ label }) => label)).toEqual(['Sat 24 Oct', 'Sun 25', 'Mon 26', 'Tue 27', 'Wed 28']);
  expect(ticks.map(({ ms }) => new Date(ms).toISOString().slice(11, 16))).toEqual([
    '22:00',
    '22:00',
    '23:00',
    '23:00',
    '23:00',
  ]);
});

test('minutes have clock times', () => {
  const ticks = ticksOf({ fromMs: now - HOUR_MS, toMs: now, left: 0, right: 400 }, 'Europe/Berlin', 58);
  expect(ticks.map(({ label }) => label)).toEqual(['13:40', '13:50', '14:00', '14:10', '14:20', '14:30']);
});

test('a short range has ticks in seconds', () => {
  const ticks = ticksOf({ fromMs: now - 61_000, toMs: now, left: 0, right: 400 }, 'UTC', 62);
  expect(ticks.map(({ label }) => label)).toEqual(['12:31:00', '12:31:15', '12:31:30', '12:31:45']);
});

test('a page opens with the entire known range, three weeks at most', () => {
  expect(fittingRange(now - 60_000, now)).toBe('all');
  expect(fittingRange(now - HOUR_MS / 2, now)).toBe('1h');
  expect(fittingRange(now - 2 * HOUR_MS, now)).toBe('all');
  expect(fittingRange(now - 60 * WEEK, now)).toBe('3w');
  expect(rangeStart('all', now - WEEK, now)).toBeLessThan(now - WEEK);
});
