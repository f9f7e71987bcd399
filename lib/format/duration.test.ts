import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAge, formatDuration } from '@/lib/format/duration';

const units: Record<string, number> = { s: 1e3, min: 6e4, h: 36e5, d: 864e5, y: 365 * 864e5 };

function read(text: string): { ms: number; smallest: number } {
  const parts = [...text.matchAll(/(\d+) (s|min|h|d|y)/g)].map(([, n, unit]) => [
    Number(n),
    units[unit ?? ''] ?? NaN,
  ]);
  return {
    ms: parts.reduce((sum, [n = NaN, unit = NaN]) => sum + n * unit, 0),
    smallest: parts.at(-1)?.[1] ?? NaN,
  };
}

describe('formatDuration', () => {
  test.each([
    [0, '0 s'],
    [-5, '0 s'],
    [400, 'under 1 s'],
    [50_000, '50 s'],
    [70_000, '1 min 10 s'],
    [125_000, '2 min 05 s'],
    [120_000, '2 min'],
    [26 * 60_000 + 59_999, '26 min'],
    [27 * 3_600_000, '1 d 3 h'],
    [148 * 3_600_000, '6 d 4 h'],
    [48 * 3_600_000, '2 d'],
    [5 * 3_600_000 + 20 * 60_000, '5 h 20 min'],
    [400 * 86_400_000, '1 y 35 d'],
  ])('%i ms reads %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  test('never exceeds the duration, and never drops a full unit of the smallest one shown', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 5 * 365 * 864e5 }), (ms) => {
        const said = read(formatDuration(ms));
        expect(said.ms).toBeLessThanOrEqual(ms);
        if (ms < 365 * 864e5) expect(ms - said.ms).toBeLessThan(units.d ?? 0);
      }),
    );
  });

  test('a longer time never reads shorter', () => {
    fc.assert(
      fc.property(fc.nat(1e11), fc.nat(1e11), (a, b) => {
        expect(read(formatDuration(a)).ms <= read(formatDuration(b)).ms || a > b).toBe(true);
      }),
    );
  });
});

describe('formatAge', () => {
  test.each([
    [2_400, '2 s'],
    [26 * 60_000, '26 min'],
    [27 * 3_600_000, '27 h'],
    [6 * 86_400_000, '6 d'],
    [800 * 86_400_000, '2 y'],
  ])('an age of %i ms reads %s', (ms, text) => expect(formatAge(ms)).toBe(text));

  test('names one unit and rounds down', () => {
    fc.assert(
      fc.property(fc.nat(4e11), (ms) => {
        const said = read(formatAge(ms));
        expect(said.ms).toBeLessThanOrEqual(ms);
        expect(ms - said.ms).toBeLessThan(said.smallest);
      }),
    );
  });
});
