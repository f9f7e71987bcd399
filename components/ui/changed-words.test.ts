import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedWords, type ComparedPart } from '@/components/ui/changed-words';

const join = (parts: readonly ComparedPart[]) => parts.map(({ text }) => text).join('');
const marked = (parts: readonly ComparedPart[]) =>
  parts.filter(({ changed }) => changed).map(({ text }) => text);

it('gives parts that join to both values', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 24 }),
    fc
      .array(fc.constantFrom('shop', '/', ':', '1.2', ' ', '\n'), { maxLength: 24 })
      .map((words) => words.join('')),
  );
  fc.assert(
    fc.property(value, value, (before, after) => {
      const parts = changedWords(before, after);
      expect(join(parts.before)).toBe(before);
      expect(join(parts.after)).toBe(after);
    }),
  );
});

it('highlights nothing in two equal values', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(marked(changedWords(value, value).before)).toEqual([]);
    }),
  );
});

it('highlights a version as one word', () => {
  const { before, after } = changedWords('shop/checkout:2.18.3', 'shop/checkout:2.19.0');
  expect([marked(before), marked(after)]).toEqual([['2.18.3'], ['2.19.0']]);
});

it('highlights a value with next to nothing in common completely', () => {
  expect(marked(changedWords('http://a', 'tcp://b').before)).toEqual(['http://a']);
});

it('highlights a huge value completely instead of comparing it word by word', () => {
  const long = 'a '.repeat(5_000);
  expect(marked(changedWords(long, `${long}b`).after)).toEqual([`${long}b`]);
});
