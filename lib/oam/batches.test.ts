import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchesOf, type Extent, goalsOf, podsOf, describePlanProblem } from '@/lib/oam/batches';
import { type Amount, parsePlan } from '@/lib/oam/plan';
import type { JsonObject } from '@/lib/kube/json';

const plan = (replicas: readonly Amount[], more: JsonObject = {}) =>
  parsePlan({ rolloutBatches: replicas.map((amount) => ({ replicas: amount })), ...more });
const rolling = (target: number): Extent => ({ mode: 'rolling', base: 0, target });
const scaling = (base: number, target: number): Extent => ({ mode: 'scaling', base, target });

describe('pods after each batch', () => {
  test.for([
    ['shares round up, the last takes the rest', ['25%', '25%', '100%'], rolling(11), [3, 6, 11]],
    ['a share in the last batch is not looked at', [2, '1%'], rolling(9), [2, 9]],
    ['numbers are taken as they are', [1, 2, 4], rolling(7), [1, 3, 7]],
    ['up from the size there was', [2, '100%'], scaling(3, 8), [5, 8]],
    ['down from the size there was, by shares of the difference', ['30%', '100%'], scaling(9, 4), [7, 4]],
  ] as const)('%s', ([, replicas, extent, goals]) => {
    expect(goalsOf(plan(replicas).batches, extent)).toEqual(goals);
    expect(describePlanProblem(plan(replicas), extent)).toBeUndefined();
  });
});

describe('a plan that does not fit is described in upstream’s words', () => {
  test.for(
    // prettier-ignore
    [
    [[6, 6, '100%'], rolling(12), 'the rollout plan batch size mismatch, total batch size = 12, totalReplicas size = 12'],
    [[2, 3], rolling(6), 'the rollout plan batch size mismatch, total batch size = 5, totalReplicas size = 6'],
    [[5, '100%'], scaling(3, 8), 'the rollout plan increased too much, total batch size = 5, targetSize size = 8'],
    [[5, '100%'], scaling(8, 3), 'the rollout plan reduced too much, total batch size = 5, targetSize size = 3'],
    [[1, 0], scaling(3, 3), 'the rollout plan changed on no-op scale, total batch size = 1, targetSize size = 3'],
    [[1, 1], scaling(3, 8), 'the rollout plan batch size mismatch, total batch size = 2, targetSize size = 8'],
  ] as const,
  )('%j of %j', ([replicas, extent, problem]) => {
    expect(describePlanProblem(plan(replicas), extent)).toBe(problem);
  });

  test('and so is one that is no plan', () => {
    expect(describePlanProblem(plan(['half', '100%']), rolling(4))).toContain(
      'neither a number nor a percentage',
    );
    expect(describePlanProblem(plan([-1, '100%']), rolling(4))).toContain(
      'neither a number nor a percentage',
    );
    expect(describePlanProblem(parsePlan({ numBatches: 0 }), rolling(4))).toContain('must have batches');
  });

  test('and so is one that lists pods, which no controller could follow', () => {
    const listing = parsePlan({ rolloutBatches: [{ replicas: 1 }, { podList: ['web-1'] }] });
    expect(describePlanProblem(listing, rolling(4))).toContain('batch 1 lists pods by name');
  });
});

test('batches by number share the pods, and none is smaller than the previous one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 60 }), (count, target) => {
      const counted = parsePlan({ numBatches: count });
      const goals = goalsOf(batchesOf(counted, rolling(target)), rolling(target));
      expect(goals).toHaveLength(count);
      expect(goals.at(-1)).toBe(target);
      const sizes = goals.map((goal, index) => goal - (goals[index - 1] ?? 0));
      expect(sizes.toSorted((a, b) => a - b)).toEqual(sizes);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      if (target > 0) expect(describePlanProblem(counted, rolling(target))).toBeUndefined();
    }),
  );
});

test('goals of a plan that fits never decrease, and end at the target', () => {
  const amount = fc.oneof(
    fc.integer({ min: 0, max: 9 }),
    fc.integer({ min: 0, max: 100 }).map((share) => `${share}%`),
  );
  fc.assert(
    fc.property(
      fc.array(amount, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom<Extent['mode']>('rolling', 'scaling'),
      (replicas, from, target, mode) => {
        const extent = { mode, base: mode === 'rolling' ? 0 : from, target };
        if (describePlanProblem(plan(replicas), extent) !== undefined) return;
        const goals = [extent.base, ...goalsOf(plan(replicas).batches, extent)];
        const ordered = goals.toSorted((a, b) => (target < extent.base ? b - a : a - b));
        expect(goals).toEqual(ordered);
        expect(goals.at(-1)).toBe(target);
      },
    ),
  );
});

test('a share is of whole pods, rounded up', () => {
  expect([
    podsOf('25%', 11),
    podsOf('0%', 11),
    podsOf(4, 11),
    podsOf('4', 11),
    podsOf(undefined, 11),
  ]).toEqual([3, 0, 4, undefined, undefined]);
});
