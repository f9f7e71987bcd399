import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCount, formatList, quoteShellWord, formatUtc } from '@/lib/format/text';

test.each([
  [[], 3, ''],
  [['a'], 3, 'a'],
  [['a', 'b'], 3, 'a and b'],
  [['a', 'b', 'c'], 3, 'a, b and c'],
  [['a', 'b', 'c', 'd', 'e'], 3, 'a, b and 3 more'],
])('%j, at most %i, reads %j', (names, max, text) => expect(formatList(names, max)).toBe(text));

test('one has a singular', () => {
  expect([formatCount(0, 'pod'), formatCount(1, 'pod'), formatCount(2, 'pod')]).toEqual([
    '0 pods',
    '1 pod',
    '2 pods',
  ]);
});

test('a time shows its zone, and text that is no time stays as it is', () => {
  expect(formatUtc('2026-08-01T12:00:05.123456Z')).toBe('2026-08-01 12:00:05 UTC');
  expect(formatUtc('2026-08-01T14:00:05+02:00')).toBe('2026-08-01 12:00:05 UTC');
  expect(formatUtc('soon')).toBe('soon');
});

test('a shell parses every word of a command line as it was meant', () => {
  const words = fc.sample(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((word) => !word.includes('\0')),
    200,
  );
  const line = words.map(quoteShellWord).join(' ');
  const read = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  expect(read.split('\0').slice(0, -1)).toEqual(words);
});
