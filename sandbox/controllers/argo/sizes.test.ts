import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divide, nextSizes } from '@/sandbox/controllers/argo/sizes';

describe('a step divides the pods', () => {
  test.each([
    [10, 10, 0, '1/9'],
    [10, 25, 0, '3/7'],
    [3, 10, 0, '1/2'],
    [3, 90, 0, '2/1'],
    [5, 20, 1, '1/4'],
    [4, 20, 0, '1/3'],
    [4, 20, 1, '1/4'],
    [3, 40, 1, '1/2'],
    [1, 50, 1, '1/1'],
    [4, 0, 1, '0/4'],
    [4, 100, 1, '4/0'],
  ])('%i pods at %i %% with a surge of %i: %s', (replicas, weight, surge, wanted) => {
    const { fresh, stable } = divide(replicas, weight, surge);
    expect(`${fresh}/${stable}`).toBe(wanted);
  });
});

test('reaches the target step by step, with enough available pods at every step', () => {
  fc.assert(
    fc.property(
      fc.record({
        replicas: fc.integer({ min: 1, max: 12 }),
        weight: fc.integer({ min: 0, max: 100 }),
        surge: fc.integer({ min: 0, max: 3 }),
        unavailable: fc.integer({ min: 0, max: 3 }),
      }),
      ({ unavailable, ...rest }) => {
        const plan = { ...rest, unavailable: rest.surge === 0 ? Math.max(1, unavailable) : unavailable };
        const { replicas, weight, surge } = plan;
        const goal = divide(replicas, weight, surge);
        let [stable = 0, fresh = 0] = [replicas, 0];
        for (let round = 0; round < 40; round += 1) {
          const sides = [
            { size: stable, available: stable, goal: goal.stable },
            { size: fresh, available: fresh, goal: goal.fresh },
          ];
          [stable = 0, fresh = 0] = nextSizes(sides, replicas + surge, replicas - plan.unavailable);
          expect(stable + fresh).toBeGreaterThanOrEqual(replicas - plan.unavailable);
          expect(stable + fresh).toBeLessThanOrEqual(replicas + surge);
        }
        expect({ fresh, stable }).toEqual(goal);
      },
    ),
  );
});
