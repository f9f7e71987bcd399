import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  windowBetween,
  panWindow,
  partMsFor,
  WINDOW_MS_MAX,
  WINDOW_MS_MIN,
  withEnd,
  withStart,
  zoomWindow,
} from '@/lib/timeline/time-window';

const END_MS = 1_000_000_000_000;
const HOUR_MS = 3_600_000;
const windowArbitrary = fc
  .tuple(fc.integer({ min: WINDOW_MS_MIN, max: WINDOW_MS_MAX }), fc.integer({ min: 0, max: WINDOW_MS_MAX }))
  .map(([length, beforeEnd]) => ({ fromMs: END_MS - beforeEnd - length, toMs: END_MS - beforeEnd }));
const momentArbitrary = fc.integer({ min: 0, max: END_MS });

describe('a window on the time axis', () => {
  test('keeps its length when it moves, and never moves past the end', () => {
    fc.assert(
      fc.property(windowArbitrary, fc.double({ min: -3, max: 3, noNaN: true }), (before, share) => {
        const after = panWindow(before, share, END_MS);
        expect(after.toMs - after.fromMs).toBe(before.toMs - before.fromMs);
        expect(after.toMs).toBeLessThanOrEqual(END_MS);
        expect(Math.sign(after.fromMs - before.fromMs)).toBeOneOf([0, -0, Math.sign(share)]);
      }),
    );
  });

  test('keeps the position of the time that it is zoomed around, and stays within its bounds', () => {
    fc.assert(
      fc.property(
        windowArbitrary,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(0.5, 0.8, 1.25, 2, 1_000, 0),
        (before, share, factor) => {
          const aroundMs = before.fromMs + share * (before.toMs - before.fromMs);
          const after = zoomWindow(before, factor, aroundMs, END_MS);
          const length = after.toMs - after.fromMs;
          expect(length).toBeGreaterThanOrEqual(WINDOW_MS_MIN);
          expect(length).toBeLessThanOrEqual(WINDOW_MS_MAX);
          expect(after.toMs).toBeLessThanOrEqual(END_MS);
          if (after.toMs < END_MS) expect((aroundMs - after.fromMs) / length).toBeCloseTo(share, 4);
        },
      ),
    );
  });

  test('drawn between two times contains both, whichever came first', () => {
    fc.assert(
      fc.property(momentArbitrary, momentArbitrary, (one, other) => {
        const drawn = windowBetween(one, other, END_MS);
        expect(drawn).toEqual(windowBetween(other, one, END_MS));
        expect(drawn.fromMs).toBeLessThanOrEqual(Math.min(one, other));
        expect(drawn.toMs).toBeGreaterThanOrEqual(Math.max(one, other));
        expect(drawn.toMs - drawn.fromMs).toBeGreaterThanOrEqual(WINDOW_MS_MIN);
      }),
    );
  });

  test('keeps its length where a typed end would come before its start', () => {
    const hour = { fromMs: END_MS - 5 * HOUR_MS, toMs: END_MS - 4 * HOUR_MS };
    const before = { fromMs: END_MS - 8 * HOUR_MS, toMs: END_MS - 7 * HOUR_MS };
    expect(withEnd(hour, before.toMs, END_MS)).toEqual(before);
    expect(withStart(before, hour.fromMs, END_MS)).toEqual(hour);
    expect(withEnd(hour, hour.toMs + 60_000, END_MS)).toEqual({ ...hour, toMs: hour.toMs + 60_000 });
    expect(withStart(hour, hour.fromMs - 60_000, END_MS)).toEqual({ ...hour, fromMs: hour.fromMs - 60_000 });
    expect(withStart(hour, END_MS + HOUR_MS, END_MS)).toEqual({ fromMs: END_MS - HOUR_MS, toMs: END_MS });
  });

  test('is never divided into more ranges than requested', () => {
    fc.assert(
      fc.property(
        momentArbitrary,
        fc.integer({ min: 0, max: 2 * WINDOW_MS_MAX }),
        fc.integer({ min: 2, max: 500 }),
        (fromMs, stretch, partsMax) => {
          const partMs = partMsFor(stretch, partsMax);
          const parts = Math.floor((fromMs + stretch) / partMs) - Math.floor(fromMs / partMs) + 1;
          expect(parts).toBeLessThanOrEqual(partsMax);
        },
      ),
    );
  });
});
