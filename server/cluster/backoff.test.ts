import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backoff } from '@/server/cluster/backoff';

test('doubles the wait from under a second to half a minute and restarts after two quiet minutes', () => {
  let now = 0;
  const backoff = new Backoff({ now: () => now }, () => 1);
  const waits = Array.from({ length: 8 }, () => {
    const wait = backoff.next();
    now += wait;
    return wait;
  });
  expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  now += 119_000;
  expect(backoff.next()).toBe(30_000);
  now += 30_000 + 121_000;
  expect(backoff.next()).toBe(800);
});

test('spreads the waits of many clients, each between half its step and the cap', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  fc.assert(
    fc.property(
      fc.array(random, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 800, max: 90_000 }),
      (draws, cap) => {
        let draw = 0;
        const backoff = new Backoff({ now: () => 0 }, () => draws[draw++ % draws.length] ?? 0);
        for (let index = 0; index < 20; index += 1) {
          const step = Math.min(800 * 2 ** index, cap);
          const wait = backoff.next(cap);
          expect(wait).toBeGreaterThanOrEqual(step / 2);
          expect(wait).toBeLessThanOrEqual(step);
        }
      },
    ),
  );
});
