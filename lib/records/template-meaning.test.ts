import { expect, test } from 'vitest';
import {
  isSameRecordedTemplate,
  isSameTemplate,
  templateKeys,
  withMeaning,
} from '@/lib/records/template-meaning';
import type { RevisionRef } from '@/lib/api/incarnation';

const ref = (hash: string, meaning?: string): RevisionRef => ({
  number: 1,
  id: null,
  hash,
  ...(meaning !== undefined && { meaning }),
});
const atHand = (meanings: Record<string, string>) => ({
  meaning: ({ hash }: RevisionRef) => meanings[hash] ?? null,
});

test.each<[string, RevisionRef, RevisionRef, Record<string, string>, boolean]>([
  ['the same bytes, whatever is known of them', ref('x'), ref('x'), {}, true],
  ['other bytes of the same meaning', ref('x', '1:m'), ref('y', '1:m'), {}, true],
  ['what is at hand, and what was kept of the other', ref('x', '1:m'), ref('y'), { y: '1:m' }, true],
  [
    'what is at hand before what was kept by older rules',
    ref('x', '1:m'),
    ref('y'),
    { x: '2:m', y: '2:m' },
    true,
  ],
  ['no two meanings by different rules', ref('x', '1:m'), ref('y', '2:m'), {}, false],
  ['nothing where one meaning is not known', ref('x'), ref('y', '1:m'), {}, false],
  ['nothing where neither is', ref('x'), ref('y'), {}, false],
])('two templates are told to be the same by %s', (_, a, b, meanings, expected) => {
  expect(isSameTemplate(a, b, atHand(meanings))).toBe(expected);
  expect(isSameTemplate(b, a, atHand(meanings))).toBe(expected);
});

test('a meaning is saved by the current rules, and by the old ones where the template is deleted', () => {
  expect(withMeaning(ref('x', '1:m'), atHand({ x: '2:n' }))).toEqual(ref('x', '2:n'));
  expect(withMeaning(ref('x', '1:m'), atHand({}))).toEqual(ref('x', '1:m'));
  expect(withMeaning(ref('x'), atHand({}))).toEqual(ref('x'));
});

test('recorded templates with the same bytes or the same meaning are the same template', () => {
  expect(isSameRecordedTemplate(ref('x'), ref('x', '1:m'))).toBe(true);
  expect(isSameRecordedTemplate(ref('x', '1:m'), ref('y', '1:m'))).toBe(true);
  expect(isSameRecordedTemplate(ref('x', '1:m'), ref('y', '2:m'))).toBe(false);
  expect(isSameRecordedTemplate(ref('x'), ref('y'))).toBe(false);
});

test('templates of the same meaning share a key, even where only another reference provides a meaning', () => {
  const keyOf = templateKeys([null, ref('x'), ref('x', '1:m'), ref('y', '1:m'), ref('z')]);
  expect(keyOf('x')).toBe(keyOf('y'));
  expect(new Set(['x', 'z', 'unheard of'].map(keyOf)).size).toBe(3);
});
