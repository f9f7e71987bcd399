import { expect, test } from 'vitest';
import { matchRank, wordsOf } from '@/lib/view/match-rank';

const things = [
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
])('what is looked for as %j is named before what merely mentions it', (text, found) => {
  const ranked = things
    .map(({ name, fields }) => ({ name, rank: matchRank(wordsOf(text), name, fields) }))
    .filter((thing): thing is { name: string; rank: number } => thing.rank !== null)
    .toSorted((a, b) => a.rank - b.rank);
  expect(ranked.map(({ name }) => name)).toEqual(found);
});
