import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Alignment, alignByContent, alignByKey } from '@/lib/diff/align';

const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 });

function expectComplete({ pairs, removed, added }: Alignment, before: string[], after: string[]): void {
  const sorted = (positions: number[]): number[] => positions.sort((a, b) => a - b);
  expect(sorted([...pairs.map(([i]) => i), ...removed])).toEqual([...before.keys()]);
  expect(sorted([...pairs.map(([, j]) => j), ...added])).toEqual([...after.keys()]);
}

describe('by key', () => {
  test('every entry is paired or single, pairs share their key, and unmoved entries keep their order', () => {
    fc.assert(
      fc.property(keys, keys, (before, after) => {
        const aligned = alignByKey(before, after);
        expectComplete(aligned, before, after);
        for (const [i, j] of aligned.pairs) expect(before[i]).toBe(after[j]);
        const stays = aligned.pairs.filter(([i]) => !aligned.moved.has(i)).map(([, j]) => j);
        expect(stays).toEqual([...stays].sort((a, b) => a - b));
      }),
    );
  });

  test('as few entries move as possible, in either direction', () => {
    expect([...alignByKey(['warm', 'wait'], ['wait', 'warm']).moved]).toEqual([1]);
    expect([...alignByKey(['a', 'b', 'c', 'd'], ['d', 'a', 'b', 'c']).moved]).toEqual([3]);
    fc.assert(
      fc.property(keys, keys, (before, after) => {
        expect(alignByKey(before, after).moved.size).toBe(alignByKey(after, before).moved.size);
      }),
    );
  });
});

describe('by content', () => {
  test('every entry is paired or single and no pair crosses another', () => {
    fc.assert(
      fc.property(keys, keys, (before, after) => {
        const aligned = alignByContent(before, after);
        expectComplete(aligned, before, after);
        const partners = aligned.pairs.map(([, j]) => j);
        expect(partners).toEqual([...partners].sort((a, b) => a - b));
      }),
    );
  });

  test('the other direction is the mirror image', () => {
    fc.assert(
      fc.property(keys, keys, (before, after) => {
        const mirrored = alignByContent(after, before).pairs.map(([j, i]) => [i, j]);
        expect(alignByContent(before, after).pairs).toEqual(mirrored);
      }),
    );
  });

  test('an inserted entry is one addition, a replaced one a pair', () => {
    expect(alignByContent(['a', 'b'], ['a', 'x', 'b'])).toMatchObject({ added: [1], removed: [] });
    expect(alignByContent(['a', 'b', 'c'], ['a', 'x', 'c'])).toMatchObject({ added: [], removed: [] });
  });
});
