import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sizeAnnotations } from '@/sandbox/controllers/deployment/annotations';
import { sizesWithout, sizesWithoutUnhealthy } from '@/sandbox/controllers/deployment/rolling';
import { proportionalSizes } from '@/sandbox/controllers/deployment/scale';
import { maxSurge, maxUnavailable, newSize } from '@/sandbox/controllers/deployment/strategy';
import { deployment, replicaSet, T0 } from '@/sandbox/controllers/testing/objects';

const rolling = (replicas: number, surge: number | string, unavailable: number | string) =>
  deployment({
    replicas,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
  });

describe('bounds of a rolling update', () => {
  test.each([
    [10, '25%', '25%', 3, 2],
    [1, '25%', '25%', 1, 0],
    [2, 0, '1%', 0, 1],
    [1, '1%', '25%', 1, 0],
    [3, 0, 5, 0, 3],
    [0, '25%', '25%', 0, 0],
    [4, 2, 1, 2, 1],
  ])(
    '%i pods with surge %s and unavailable %s may be %i more and %i fewer',
    (replicas, surge, missing, up, down) => {
      const { spec } = rolling(replicas, surge, missing);
      expect([maxSurge(spec), maxUnavailable(spec)]).toEqual([up, down]);
    },
  );

  test('Recreate has none and scales up at once', () => {
    const { spec } = deployment({ strategy: { type: 'Recreate' } });
    expect([maxSurge(spec), maxUnavailable(spec), newSize(spec, { own: 0, all: 10 })]).toEqual([0, 0, 10]);
  });

  test.each([
    [0, 10, 3],
    [3, 11, 5],
    [5, 13, 5],
    [9, 10, 10],
    [0, 14, 0],
  ])('a new ReplicaSet of %i among %i pods grows to %i', (own, all, size) => {
    expect(newSize(rolling(10, 3, 2).spec, { own, all })).toBe(size);
  });
});

describe('scaling in the middle of a rollout', () => {
  const sized = (name: string, replicas: number, desired: number, max: number, createdAt = T0) =>
    replicaSet(name, replicas, {}, sizeAnnotations(desired, max), createdAt);
  const sizesOf = (replicas: number, ...sets: ReturnType<typeof sized>[]) =>
    Object.fromEntries(
      [...proportionalSizes(rolling(replicas, 3, 2), sets)].map(([{ metadata }, size]) => [
        metadata.name,
        size,
      ]),
    );

  test('keeps the proportion of 8 and 5 from 10 to 15', () => {
    // https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling
    expect(sizesOf(15, sized('old', 8, 10, 13), sized('new', 5, 10, 13))).toEqual({ old: 11, new: 7 });
  });

  test('gives the remainder to the newer of equals when scaling up, and takes it from the older when down', () => {
    const pair = (max: number) => [sized('old', 5, 10, max), sized('new', 5, 10, max, T0 + 1000)] as const;
    expect(sizesOf(8, ...pair(10))).toEqual({ old: 5, new: 6 });
    expect(sizesOf(6, ...pair(10))).toEqual({ old: 4, new: 5 });
  });

  test('to zero leaves none', () => {
    expect(sizesOf(0, sized('old', 8, 10, 13), sized('new', 5, 10, 13))).toEqual({ old: 0, new: 0 });
  });

  test('always ends at the allowed number of pods, none below zero', () => {
    const size = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(fc.array(size, { minLength: 2, maxLength: 6 }), fc.nat(60), (present, replicas) => {
        const before = total(present);
        const sets = present.map((count, index) => sized(`set-${index}`, count, before - 3, before));
        const sizes = Object.values(sizesOf(replicas, ...sets));
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(0);
        expect(total(sizes)).toBe(replicas === 0 ? 0 : replicas + 3);
      }),
    );
  });
});

function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('pods that are not available are deleted first, then others from the oldest ReplicaSet on', () => {
  const old = [replicaSet('a', 4, { availableReplicas: 1 }), replicaSet('b', 3, { availableReplicas: 2 })];
  expect(sizesWithoutUnhealthy(old, 2)).toEqual([2, 3]);
  expect(sizesWithoutUnhealthy(old, 9)).toEqual([1, 2]);
  expect(sizesWithout(old, 5)).toEqual([0, 2]);
  expect(sizesWithout(old, -1)).toEqual([4, 3]);
});
