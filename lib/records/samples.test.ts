import { expect, test } from 'vitest';
import type { ObservedRevision } from '@/lib/records/observation';
import type { PodSample } from '@/lib/api/record';
import { addSample, isChanged } from '@/lib/records/samples';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const running = (...pods: number[]) =>
  pods.map((count, index) => ({ hash: `h${index}`, pods: count, ready: count }) as ObservedRevision);

test('without changes only the end of the series moves', () => {
  let samples: readonly PodSample[] = [];
  for (let second = 0; second < 10; second += 1) samples = addSample(samples, at(second), running(3, 0));
  expect(samples.map((sample) => sample.at)).toEqual([at(0), at(9)]);
  const next = addSample(samples, at(10), running(3, 1));
  expect(next).toHaveLength(3);
  expect([isChanged(samples, next), isChanged(samples.slice(0, 1), samples)]).toEqual([true, false]);
});

test('a series stays short, and keeps its ends', () => {
  let samples: readonly PodSample[] = [];
  for (let second = 0; second < 5_000; second += 1) samples = addSample(samples, at(second), running(second));
  expect(samples.length).toBeLessThanOrEqual(501);
  expect([samples[0]?.at, samples.at(-1)?.at]).toEqual([at(0), at(4_999)]);
});

test('pods of revisions with the same template count together', () => {
  const twins = [...running(1), ...running(2)];
  expect(addSample([], at(0), twins)[0]?.byRevision).toEqual([['h0', 3, 3]]);
});
