import { expect, test } from 'vitest';
import { Listeners } from '@/server/cluster/listeners';

test('a listener that throws silences no other, and its error is reported', () => {
  const errors: unknown[] = [];
  const heard: string[] = [];
  const listeners = new Listeners<[string]>((error) => errors.push(error));
  const broken = new Error('broken');
  listeners.add((word) => void heard.push(`first ${word}`));
  listeners.add(() => {
    throw broken;
  });
  const leave = listeners.add((word) => void heard.push(`last ${word}`));
  listeners.notify('one');
  leave();
  listeners.notify('two');
  expect(heard).toEqual(['first one', 'last one', 'first two']);
  expect(errors).toEqual([broken, broken]);
});
