import { expect, test } from 'vitest';
import { type InPieces } from '@/lib/pieces';
import { inTurns } from '@/server/in-turns';

function* work(pieces: number, done: () => void): InPieces<number> {
  for (let piece = 1; piece < pieces; piece += 1) {
    done();
    yield;
  }
  done();
  return pieces;
}

test('others have their turn between any two pieces, however many pieces of work are under way', async () => {
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
  const all = Array.from({ length: 10 }, () => inTurns(work(20, count)));
  // All begin at once, with their first piece.
  [inTurn, most] = [0, 0];
  expect(await Promise.all(all)).toEqual(Array.from({ length: 10 }, () => 20));
  isOver = true;
  expect(most).toBeLessThanOrEqual(2);
});
