import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { divide, nextSizes } from '@/sandbox/controllers/argo/canary';

test.each([
  [10, 25, 0, '3/7'],
  [3, 10, 0, '1/2'],
  [5, 20, 1, '1/4'],
  [4, 20, 1, '1/4'],
  [1, 50, 1, '1/1'],
  [4, 0, 1, '0/4'],
])('divides %i pods at %i %% with a surge of %i: %s', (replicas, weight, surge, expected) => {
  const { fresh, stable } = divide(replicas, weight, surge);
  expect(`${fresh}/${stable}`).toBe(expected);
});

test('reaches the sizes of a step with enough available pods on the way, and not too many', () => {
  const plans = fc.record({
    replicas: fc.integer({ min: 1, max: 12 }),
    weight: fc.integer({ min: 0, max: 100 }),
    surge: fc.integer({ min: 0, max: 3 }),
    unavailable: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(plans, ({ replicas, weight, surge, unavailable }) => {
      const goal = divide(replicas, weight, surge);
      let [stable = 0, fresh = 0] = [replicas, 0];
      for (let round = 0; round < 40; round += 1) {
        const sides = [
          { size: stable, available: stable, goal: goal.stable },
          { size: fresh, available: fresh, goal: goal.fresh },
        ];
        [stable = 0, fresh = 0] = nextSizes(sides, replicas + surge, replicas - unavailable);
        expect(stable + fresh).toBeGreaterThanOrEqual(replicas - unavailable);
        expect(stable + fresh).toBeLessThanOrEqual(replicas + surge);
      }
      expect({ fresh, stable }).toEqual(goal);
    }),
  );
});
