import { expect, test } from 'vitest';
import { matchRank, splitWords } from '@/lib/view/match-rank';

const names = [
  { name: 'web', fields: ['shop', 'registry/checkout/web', ''] },
  { name: 'basket', fields: ['checkout', 'registry/basket', ''] },
  { name: 'cart', fields: ['shop', 'registry/cart', 'as checkout asks'] },
  { name: 'pre-checkout', fields: ['shop', 'registry/pre', ''] },
  { name: 'checkout-worker', fields: ['shop', 'registry/worker', ''] },
  { name: 'checkout', fields: ['shop', 'registry/shop', ''] },
];

test.each([
  ['checkout', ['checkout', 'checkout-worker', 'pre-checkout', 'basket', 'web', 'cart']],
  ['shop CHECKOUT', ['checkout', 'checkout-worker', 'pre-checkout', 'web', 'cart']],
  ['nothing', []],
])('a search for %j lists names that match before texts that merely mention it', (text, found) => {
  const ranked = names
    .map(({ name, fields }) => ({ name, rank: matchRank(splitWords(text), name, fields) }))
    .filter((thing): thing is { name: string; rank: number } => thing.rank !== null)
    .toSorted((a, b) => a.rank - b.rank);
  expect(ranked.map(({ name }) => name)).toEqual(found);
});
