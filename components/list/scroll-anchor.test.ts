import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anchorShiftPx, type AnchorLine } from '@/components/list/scroll-anchor';

const row = (key: string): AnchorLine<string> => ({ kind: 'row', key, row: key });
const heightOf = () => 10;

test('scrolls the page by the height of the rows that are added above the visible ones', () => {
  const before = ['a', 'b', 'c', 'd'].map(row);
  expect(anchorShiftPx(before, [row('new'), ...before], 15, heightOf)).toBe(10);
  expect(anchorShiftPx(before, before.slice(1), 15, heightOf)).toBe(-10);
});

test('does not scroll at the beginning of the list', () => {
  expect(anchorShiftPx([row('a')], [row('new'), row('a')], 0, heightOf)).toBe(0);
});

test('leaves the first remaining visible row in its place', () => {
  const keys = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { minLength: 1 });
  fc.assert(
    fc.property(keys, keys, fc.integer({ min: 1, max: 300 }), (before, after, scrolledPx) => {
      const shift = anchorShiftPx(before.map(row), after.map(row), scrolledPx, heightOf);
      const kept = before.slice(Math.ceil(scrolledPx / 10)).find((key) => after.includes(key));
      expect(shift).toBe(kept === undefined ? 0 : (after.indexOf(kept) - before.indexOf(kept)) * 10);
    }),
  );
});
