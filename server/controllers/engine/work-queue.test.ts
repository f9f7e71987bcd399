import { describe, expect, test } from 'vitest';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { silentLogger } from '@/server/shared/log';
import { type Sync, WorkQueue, type WorkQueueOptions } from '@/server/controllers/engine/work-queue';

function queueOf(options: Partial<WorkQueueOptions> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({
    clock,
    log: silentLogger,
    workers: 1,
    beforeEach: undefined,
    afterEach: () => Promise.resolve(),
    ...options,
  });
  return { clock, queue };
}

describe('a key', () => {
  test('waits once however often it is added, and is never processed twice at a time', async () => {
    const { queue } = queueOf({ workers: 4 });
    let running = 0;
    let most = 0;
    let count = 0;
    const work = queue.register(async () => {
      most = Math.max(most, (running += 1));
      if ((count += 1) === 1) work.add('a');
      await Promise.resolve();
      running -= 1;
    });
    for (let index = 0; index < 5; index += 1) work.add('a');
    queue.start();
    await queue.drained();
    expect([count, most]).toEqual([2, 1]);
    await queue.stop();
  });

  test('that fails returns after waits that double, until it succeeds', async () => {
    const { clock, queue } = queueOf();
    const times: number[] = [];
    const begun = clock.now();
    const work = queue.register(() => {
      times.push(clock.now() - begun);
      return times.length < 5 ? Promise.reject(new Error('not yet')) : Promise.resolve();
    });
    work.add('a');
    queue.start();
    await clock.advance(1000);
    await queue.drained();
    expect(times).toEqual([0, 5, 15, 35, 75]);
    work.add('a');
    await queue.drained();
    expect(queue.nextTimer).toBeUndefined();
    await queue.stop();
  });

  test('with two times comes up at the earlier one, once', async () => {
    const { clock, queue } = queueOf();
    const times: number[] = [];
    const begun = clock.now();
    const work = queue.register(() => Promise.resolve(void times.push(clock.now() - begun)));
    work.addAfter('a', 500);
    work.addAfter('a', 200);
    work.addAfter('a', 900);
    queue.start();
    expect(queue.nextTimer).toBe(begun + 200);
    await clock.advance(2000);
    expect(times).toEqual([200]);
    await queue.stop();
  });
});

test('in lockstep the last controller comes first, with its keys in order and a callback before each', async () => {
  let looks = 0;
  const beforeEach = () => Promise.resolve(void (looks += 1));
  const { queue } = queueOf({ beforeEach });
  const order: string[] = [];
  const note =
    (name: string): Sync =>
    (key) =>
      Promise.resolve(void order.push(`${name} ${key}`));
  const [first, second] = [queue.register(note('first')), queue.register(note('second'))];
  second.add('a');
  first.add('b');
  first.add('a');
  queue.start();
  await queue.drained();
  expect(order).toEqual(['second a', 'first a', 'first b']);
  expect(looks).toBe(3);
  second.add('c');
  await queue.drained();
  expect(looks).toBe(4);
  await queue.stop();
});

test('after a stop no key is started, and no caller waits forever', async () => {
  const { clock, queue } = queueOf();
  let count = 0;
  const work = queue.register(() => Promise.resolve(void (count += 1)));
  queue.start();
  work.addAfter('a', 10);
  await queue.stop();
  work.add('b');
  await clock.advance(100);
  await queue.drained();
  expect(count).toBe(0);
});
