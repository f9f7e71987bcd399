import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Semaphore } from '@/server/shared/semaphore';

test('gives its places in the order of arrival, to no more than fit, also when a waiting task leaves or a place is given back more than once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom('arrive', 'leave', 'release', 'release twice'), { maxLength: 40 }),
      async (max, steps) => {
        const semaphore = new Semaphore(max);
        const waiting: { id: number; controller: AbortController }[] = [];
        const holding: (() => void)[] = [];
        const started: number[] = [];
        const expected: number[] = [];
        let arrived = 0;
        for (const step of steps) {
          if (step === 'arrive') {
            const id = (arrived += 1);
            const controller = new AbortController();
            waiting.push({ id, controller });
            semaphore.acquire(controller.signal).then(
              (release) => {
                started.push(id);
                holding.push(release);
              },
              () => undefined,
            );
          } else if (step === 'leave') {
            waiting.pop()?.controller.abort();
          } else {
            const release = holding.shift();
            release?.();
            if (step === 'release twice') release?.();
          }
          await nextTurn();
          while (expected.length < started.length) expected.push(waiting.shift()?.id ?? NaN);
          expect(started).toEqual(expected);
          expect(holding.length).toBe(Math.min(max, holding.length + waiting.length));
        }
      },
    ),
  );
});

test('a task that fails gives its place back', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run(() => Promise.resolve(7))).toBe(7);
});

test('gives no place to one whose signal was aborted before', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.acquire(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(await semaphore.run(() => Promise.resolve(7))).toBe(7);
});
