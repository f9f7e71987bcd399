import { expect, test } from 'vitest';
import { fittingTicks } from '@/components/time-axis/tick-labels';
import type { Tick } from '@/lib/timeline/ticks';

function ticks(...places: [x: number, label: string][]): Tick[] {
  return places.map(([x, label], index) => ({ ms: index, x, label }));
}

const labels = (given: Tick[], right: number) => fittingTicks(given, right).map(({ label }) => label);

test('a first name beside the left edge gives way to the second one that it would cover', () => {
  expect(labels(ticks([7, 'Mon 26 Oct'], [84, 'Mon 2 Nov'], [160, 'Mon 9']), 300)).toEqual([
    'Mon 2 Nov',
    'Mon 9',
  ]);
});

test('a first name with room before the second one stays', () => {
  expect(labels(ticks([7, 'Mon 26 Oct'], [110, 'Mon 2 Nov']), 300)).toEqual(['Mon 26 Oct', 'Mon 2 Nov']);
  expect(labels(ticks([40, '04:10'], [85, '04:20']), 300)).toEqual(['04:10', '04:20']);
});

test('no name reaches the right edge', () => {
  expect(labels(ticks([100, 'Mon 9'], [290, 'Mon 16']), 300)).toEqual(['Mon 9']);
  expect(labels([], 300)).toEqual([]);
});
