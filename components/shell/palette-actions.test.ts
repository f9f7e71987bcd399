import { expect, test } from 'vitest';
import { readAction } from '@/components/shell/palette-actions';
import { sampleItem } from '@/test/samples';

test.each([
  ['roll back acc', 'acc', '?rollback=default'],
  ['Rollback checkout', 'checkout', '?rollback=default'],
  ['compare pay ments', 'pay ments', '/compare?'],
])('reads the action and the name of "%s"', (typed, words, path) => {
  const read = readAction(typed);
  expect(read.words).toBe(words);
  const lastRollout = {
    ...{ from: 4, to: 5, startedAt: null, notAfter: null, writer: null },
    ...{ changeCause: null, restart: false, record: null },
  };
  expect(read.actionOf?.(sampleItem({ lastRollout }))?.href).toContain(path);
});

test.each(['roll', 'rollback', 'comparer x', 'cart'])('searches for "%s" as it is', (typed) => {
  expect(readAction(typed)).toEqual({ words: typed, actionOf: null });
});
