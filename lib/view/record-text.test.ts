import { expect, test } from 'vitest';
import { transitionText } from '@/lib/view/record-text';

const ref = (number: number | null) => ({ number, id: null, hash: 'h' });

test('a template without a revision so far is named by the version of its image', () => {
  const images = [{ container: 'main', image: 'registry.example.com/cart:2.0.0' }];
  expect(transitionText({ from: ref(4), to: ref(5), images })).toBe('4 → 5');
  expect(transitionText({ from: ref(4), to: ref(null), images })).toBe('4 → 2.0.0');
  expect(transitionText({ from: null, to: ref(null) })).toBe('?');
});
