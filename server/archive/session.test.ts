import { expect, test } from 'vitest';
import { TurnTime } from '@/server/archive/session';

test('runs tasks in their order, as many in a turn as take the given time, and at least one', async () => {
  let nowMs = 0;
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turns = new TurnTime(5, () => nowMs);
  const ran: [name: string, turn: number][] = [];
  const task = (name: string, ms: number) =>
    turns.run(async () => {
      await Promise.resolve();
      nowMs += ms;
      ran.push([name, turn]);
    });
  await Promise.all([task('a', 2), task('b', 2), task('c', 2), task('d', 9), task('e', 9), task('f', 0)]);
  isOver = true;
  const [first] = ran;
  expect(ran.map(([name, at]) => [name, at - (first?.[1] ?? 0)])).toEqual([
    ['a', 0],
    ['b', 0],
    ['c', 0],
    ['d', 1],
    ['e', 2],
    ['f', 3],
  ]);
});

test('goes on after a task that fails', async () => {
  const turns = new TurnTime(5);
  const failing = turns.run(() => Promise.reject(new Error('locked')));
  const next = turns.run(() => Promise.resolve('read'));
  await expect(failing).rejects.toThrow('locked');
  expect(await next).toBe('read');
});
