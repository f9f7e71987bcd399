import { expect, test } from 'vitest';
import type { Sliced } from '@/lib/kube/slices';
import { inSlices } from '@/server/shared/in-slices';

function* work(pieces: number, done: () => void): Sliced<number> {
  for (let piece = 1; piece < pieces; piece += 1) {
    done();
    yield;
  }
  done();
  return pieces;
}

test('other work gets a turn between any two slices, however many sliced tasks run', async () => {
  let inTurn = 0;
  let most = 0;
  const count = () => {
    inTurn += 1;
    most = Math.max(most, inTurn);
  };
  let isOver = false;
  const look = () => {
    inTurn = 0;
    if (!isOver) setImmediate(look);
  };
  await new Promise(setImmediate);
  look();
  const all = Array.from({ length: 10 }, () => inSlices(work(20, count)));
  // All start at once, with their first slice.
  [inTurn, most] = [0, 0];
  expect(await Promise.all(all)).toEqual(Array.from({ length: 10 }, () => 20));
  isOver = true;
  expect(most).toBeLessThanOrEqual(2);
});
