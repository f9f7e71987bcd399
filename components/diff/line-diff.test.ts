import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffLines } from '@/components/diff/line-diff';
import { HUNK_LINES_MAX, toTextBlocks } from '@/components/diff/text-blocks';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 60 });

it('transforms one text into the other without losing a line', () => {
  fc.assert(
    fc.property(lines, lines, (left, right) => {
      const stretches = diffLines(left, right);
      expect(stretches.flatMap((one) => left.slice(one.left.start, one.left.end))).toEqual(left);
      expect(stretches.flatMap((one) => right.slice(one.right.start, one.right.end))).toEqual(right);
      for (const { equal, ...at } of stretches.filter((one) => one.equal))
        expect([equal, left.slice(at.left.start, at.left.end)]).toEqual([
          true,
          right.slice(at.right.start, at.right.end),
        ]);
    }),
  );
});

it('finds no fewer common lines than the longest common subsequence has', () => {
  const longest = (a: readonly string[], b: readonly string[]): number => {
    const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
    const at = (i: number, j: number) => table[i]?.[j] ?? 0;
    for (let i = 1; i <= a.length; i++)
      for (let j = 1; j <= b.length; j++)
        table[i]?.splice(
          j,
          1,
          a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1)),
        );
    return at(a.length, b.length);
  };
  fc.assert(
    fc.property(lines, lines, (left, right) => {
      const common = diffLines(left, right)
        .filter((one) => one.equal)
        .reduce((sum, one) => sum + one.left.end - one.left.start, 0);
      expect(common).toBe(longest(left, right));
    }),
  );
});

it('gives one equal stretch for equal texts, and none for empty texts', () => {
  expect(diffLines(['a', 'b'], ['a', 'b'])).toHaveLength(1);
  expect(diffLines([], [])).toEqual([]);
});

it('folds or draws every line of both sides exactly once, in hunks of bounded length', () => {
  const long = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 400 });
  fc.assert(
    fc.property(long, long, fc.boolean(), (left, right, unfold) => {
      const stretches = diffLines(left, right);
      const open = new Set(unfold ? stretches.map((one) => one.left.start) : []);
      let leftAt = 0;
      let rightAt = 0;
      for (const block of toTextBlocks(stretches, open)) {
        if (block.kind === 'fold') {
          expect(unfold).toBe(false);
          leftAt += block.lines;
          rightAt += block.lines;
          continue;
        }
        expect([block.left.start, block.right.start]).toEqual([leftAt, rightAt]);
        leftAt = block.left.end;
        rightAt = block.right.end;
        expect(leftAt - block.left.start).toBeLessThanOrEqual(HUNK_LINES_MAX);
        expect(rightAt - block.right.start).toBeLessThanOrEqual(HUNK_LINES_MAX);
      }
      expect([leftAt, rightAt]).toEqual([left.length, right.length]);
    }),
  );
});

it('shows three lines around a change and folds what lies further away', () => {
  const left = Array.from({ length: 40 }, (_, line) => `line ${line}`);
  const right = left.with(20, 'changed');
  expect(toTextBlocks(diffLines(left, right), new Set())).toEqual([
    { kind: 'fold', id: 0, lines: 17 },
    { kind: 'hunk', left: { start: 17, end: 24 }, right: { start: 17, end: 24 } },
    { kind: 'fold', id: 21, lines: 16 },
  ]);
});

it('treats two huge unrelated texts as replaced instead of comparing them', () => {
  const left = Array.from({ length: 5_000 }, (_, line) => `left ${line}`);
  const right = Array.from({ length: 5_000 }, (_, line) => `right ${line}`);
  expect(diffLines(left, right)).toEqual([
    { equal: false, left: { start: 0, end: 5_000 }, right: { start: 0, end: 5_000 } },
  ]);
});
