import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findReactivated } from '@/lib/history/reactivation';
import { compareSources, numberOfSource } from '@/lib/history/revision-order';
import { replicaSets } from '@/lib/workloads/sources/replica-sets';
import { replicaSet, parseSource } from '@/lib/workloads/testing/objects';

const source = (revision: number | string | null, created: number, name: string) =>
  parseSource(replicaSets, replicaSet(revision, '1', { created, name }));

const anySource = fc
  .record({
    revision: fc.oneof(fc.integer({ min: -1, max: 12 }), fc.constantFrom(null, 'abc', '+3', '007')),
    created: fc.integer({ min: 0, max: 5 }),
    name: fc.string({ minLength: 1, maxLength: 2 }),
  })
  .map(({ revision, created, name }) => source(revision, created, name));

const names = (sources: readonly { name: string }[]) => sources.map(({ name }) => name);

test('the order of revisions does not depend on the order in which they arrive', () => {
  const distinct = fc.uniqueArray(anySource, { selector: ({ name }) => name, maxLength: 8 });
  fc.assert(
    fc.property(
      distinct.chain((sources) =>
        fc.tuple(fc.constant(sources), fc.shuffledSubarray(sources, { minLength: sources.length })),
      ),
      ([sources, shuffled]) => {
        expect(names(shuffled.toSorted(compareSources))).toEqual(names(sources.toSorted(compareSources)));
      },
    ),
  );
});

test('the order is total', () => {
  fc.assert(
    fc.property(anySource, anySource, anySource, (a, b, c) => {
      expect(Math.sign(compareSources(a, b))).toBe(-Math.sign(compareSources(b, a)) + 0);
      if (compareSources(a, b) <= 0 && compareSources(b, c) <= 0)
        expect(compareSources(a, c)).toBeLessThanOrEqual(0);
      if (compareSources(a, b) === 0) expect(a.name).toBe(b.name);
    }),
  );
});

test('numbers order before creation times, and creation times before names', () => {
  const sources = [
    source(7, 0, 'c'),
    source(2, 9, 'z'),
    source(4, 5, 'b'),
    source(4, 5, 'a'),
    source(4, 3, 'y'),
  ];
  expect(names(sources.toSorted(compareSources))).toEqual(['z', 'y', 'a', 'b', 'c']);
});

test('a number is compared as a number, a missing one counts as 0, an unreadable one comes first', () => {
  const sources = [
    source('10', 0, 'ten'),
    source('9', 0, 'nine'),
    source(null, 9, 'none'),
    source('abc', 9, 'odd'),
  ];
  expect(names(sources.toSorted(compareSources))).toEqual(['odd', 'none', 'nine', 'ten']);
  expect(sources.map(numberOfSource)).toEqual([10, 9, 0, null]);
});

test.each([
  ['1', { kind: 'number', value: 1 }],
  ['+5', { kind: 'number', value: 5 }],
  ['007', { kind: 'number', value: 7 }],
  ['-1', { kind: 'number', value: -1 }],
  ['', { kind: 'invalid', text: '' }],
  ['1.0', { kind: 'invalid', text: '1.0' }],
  ['1_000', { kind: 'invalid', text: '1_000' }],
  [' 1', { kind: 'invalid', text: ' 1' }],
  ['9007199254740993', { kind: 'invalid', text: '9007199254740993' }],
])('the annotation %j reads as Go would read it', (text, number) => {
  expect(source(text, 0, 'a').number).toEqual(number);
});

test('revisions created before one with a lower number count as reused', () => {
  const sources = [source(2, 3, 'late'), source(4, 2, 'middle'), source(7, 1, 'early')];
  expect([...findReactivated(sources)]).toEqual(['uid-middle', 'uid-early']);
});

test('a revision does not count as reused because one without a number is younger', () => {
  expect(findReactivated([source(null, 9, 'none'), source(1, 0, 'first'), source(2, 1, 'second')]).size).toBe(
    0,
  );
});

test('sharing a number does not prove reuse', () => {
  expect(findReactivated([source(3, 1, 'a'), source(3, 2, 'b'), source(4, 2, 'c')]).size).toBe(0);
});
