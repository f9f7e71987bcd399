import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeDifference } from '@/lib/diff/describe';
import { diffInSlices } from '@/lib/diff/diff';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { masked } from '@/test/masked';
import { DIFFERENCES_MAX, findDifferences } from '@/lib/diff/walk';
import type { JsonObject } from '@/lib/kube/json';
import { findRelatedChanges } from '@/lib/records/related-changes';
import { fingerprintOf, fingerprintsBetween } from '@/lib/records/change-fingerprint';
import { normalizeTemplate } from '@/lib/diff/normalize';
import { templateOfPod } from '@/lib/diff/running-pod';

function template(env: readonly JsonObject[]): JsonObject {
  return { spec: { containers: [{ name: 'app', image: 'shop:1', env: [...env] }] } };
}

function variables(count: number, value = 'v'): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({ name: `A_${index}`, value: `${value}${index}` }));
}

/** The number of slices, and the result. */
function slices<Result>(work: Generator<void, Result>) {
  for (let count = 1; ; count += 1) {
    const { done, value } = work.next();
    if (done === true) return { count, result: value };
  }
}

describe('a long list', () => {
  it('of 5,000 entries is compared in any order, each entry with another value', () => {
    const diff = diffTemplates(template(variables(5_000)), template(variables(5_000, 'w').reverse()));
    expect(diff).toMatchObject({ equal: false, tooLarge: null });
    expect(Object.groupBy(diff.changes, ({ kind }) => kind).changed).toHaveLength(5_000);
    expect(diff.changes).toHaveLength(9_999);
  });

  it('with more changes than are described is only counted', () => {
    const diff = diffTemplates(template(variables(12_000)), template(variables(12_000, 'w')));
    expect(diff).toMatchObject({
      equal: false,
      changes: [],
      tooLarge: 12_000,
      summary: 'too large to compare: 12,000 changes',
    });
    expect(DIFFERENCES_MAX).toBe(10_000);
  });

  it('is described in slices, so that other work can run', () => {
    const small = slices(
      diffInSlices(masked(template(variables(40))), masked(template(variables(40).reverse()))),
    );
    expect(small.count).toBe(1);
    const { count, result } = slices(
      diffInSlices(masked(template(variables(5_000))), masked(template(variables(5_000, 'w').reverse()))),
    );
    expect(count).toBeGreaterThan(result.changes.length / 600);
  });

  it('has one order and one fingerprint for all that moves in it', () => {
    const [before, after] = [template(variables(300)), template(variables(300).reverse())];
    const { changes } = diffTemplates(before, after);
    expect(new Set(changes.map(({ order }) => order)).size).toBe(1);
    expect(new Set(changes.map(fingerprintOf)).size).toBe(1);
    const traces = fingerprintsBetween(normalizeTemplate(before), normalizeTemplate(after));
    expect(traces).toHaveLength(1);
    const back = diffTemplates(after, before).changes;
    expect(
      findRelatedChanges(back, [{ rollout: 'r', fingerprints: traces }]).map((echo) => echo?.kind),
    ).toEqual(back.map(() => 'reverts'));
  });

  it('is accessed a bounded number of times for each entry, for any moves, additions, removals and changes', () => {
    let looks = 0;
    const counted = (name: string, value: string): JsonObject => ({
      get name() {
        looks += 1;
        return name;
      },
      value,
    });
    const side = fc.uniqueArray(fc.integer({ min: 0, max: 800 }), { minLength: 50, maxLength: 600 });
    fc.assert(
      fc.property(side, side, fc.boolean(), (a, b, isChanged) => {
        const before = template(a.map((key) => counted(`A_${key}`, 'v')));
        const after = template(b.map((key) => counted(`A_${key}`, isChanged ? 'w' : 'v')));
        looks = 0;
        for (const difference of findDifferences(before, after).list) describeDifference(difference);
        expect(looks / (a.length + b.length)).toBeLessThan(16);
      }),
      { numRuns: 30 },
    );
  });
});

it('tolerations and ports of a pod are accessed a bounded number of times for each', () => {
  let looks = 0;
  const toleration = (index: number): JsonObject => ({
    get key() {
      looks += 1;
      return 'node.kubernetes.io/not-ready';
    },
    operator: 'Exists',
    tolerationSeconds: index,
  });
  const port = (index: number): JsonObject => ({
    get containerPort() {
      looks += 1;
      return index;
    },
    hostPort: index,
  });
  const count = 500;
  const spec = (first: number): JsonObject => ({
    hostNetwork: true,
    tolerations: Array.from({ length: count }, (_, index) => toleration(first + index)),
    containers: [
      { name: 'app', image: 'a:1', ports: Array.from({ length: count }, (_, index) => port(first + index)) },
    ],
  });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u' }, spec: spec(count) };
  templateOfPod(pod as never, { spec: spec(0) });
  expect(looks / (4 * count)).toBeLessThan(16);
});
