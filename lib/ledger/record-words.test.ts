import { expect, test } from 'vitest';
import { passageOf } from '@/lib/ledger/record-words';

const ref = (number: number | null) => ({ number, id: null, hash: 'h' });

test('what no revision records so far is called by the version of its image', () => {
  const images = [{ container: 'main', image: 'registry.example.com/cart:2.0.0' }];
  expect(passageOf({ from: ref(4), to: ref(5), images })).toBe('4 → 5');
  expect(passageOf({ from: ref(4), to: ref(null), images })).toBe('4 → 2.0.0');
  expect(passageOf({ from: null, to: ref(null) })).toBe('?');
});
