import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FleetRow } from '@/components/fleet/fleet-view';
import { steadyShift } from '@/components/fleet/steady-rows';
import { sampleItem } from '@/test/samples';

const item = sampleItem();
const row = (key: string): FleetRow => ({ kind: 'workload', key, item });
const heightOf = () => 10;

test('rows that come above what is seen move the page by as much', () => {
  const before = ['a', 'b', 'c', 'd'].map(row);
  expect(steadyShift(before, [row('new'), ...before], 15, heightOf)).toBe(10);
  expect(steadyShift(before, before.slice(1), 15, heightOf)).toBe(-10);
});

test('at the beginning of the list nothing moves', () => {
  expect(steadyShift([row('a')], [row('new'), row('a')], 0, heightOf)).toBe(0);
});

test('the first row in sight that is left keeps its place', () => {
  const keys = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { minLength: 1 });
  fc.assert(
    fc.property(keys, keys, fc.integer({ min: 1, max: 300 }), (before, after, scrolledPx) => {
      const shift = steadyShift(before.map(row), after.map(row), scrolledPx, heightOf);
      const kept = before.slice(Math.ceil(scrolledPx / 10)).find((key) => after.includes(key));
      expect(shift).toBe(kept === undefined ? 0 : (after.indexOf(kept) - before.indexOf(kept)) * 10);
    }),
  );
});
