import { expect, test } from 'vitest';
import type { Axis } from '@/lib/timeline/axis';
import type { LaneTransition } from '@/lib/timeline/lanes';
import { layoutTransitions } from '@/lib/timeline/transition-layout';

const axis = { panels: [{ fromMs: 0, left: 0 }], nowX: 1_000, x: (ms: number) => ms } as unknown as Axis;

function rollbackAt(ms: number): LaneTransition {
  const span = { startMin: ms, startMax: ms };
  return { fromLane: 0, toLane: 1, back: true, direct: true, span };
}

/** How far to the right of its start a curve extends. */
function swingsOf(...times: number[]): number[] {
  return layoutTransitions(times.map(rollbackAt), axis, (lane) => lane * 40).map(({ path }, index) => {
    const out = Number(/C(-?[\d.]+) /.exec(path)?.[1]);
    return Math.round(out - (times[index] ?? 0));
  });
}

test('the curves of two rollbacks within minutes do not overlap', () => {
  expect(swingsOf(100)).toEqual([34]);
  expect(swingsOf(100, 125)).toEqual([19, 34]);
  expect(swingsOf(100, 104)).toEqual([12, 34]);
});

test('at the end of the axis a curve turns to the left', () => {
  expect(swingsOf(990)).toEqual([-34]);
});
