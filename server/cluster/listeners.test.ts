import { expect, test } from 'vitest';
import { Listeners } from '@/server/cluster/listeners';

test('a listener that throws keeps no other from hearing, and its error is told', () => {
  const errors: unknown[] = [];
  const heard: string[] = [];
  const listeners = new Listeners<[string]>((error) => errors.push(error));
  const broken = new Error('broken');
  listeners.add((word) => void heard.push(`first ${word}`));
  listeners.add(() => {
    throw broken;
  });
  const leave = listeners.add((word) => void heard.push(`last ${word}`));
  listeners.tell('one');
  leave();
  listeners.tell('two');
  expect(heard).toEqual(['first one', 'last one', 'first two']);
  expect(errors).toEqual([broken, broken]);
});
