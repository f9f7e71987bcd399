import { expect, test } from 'vitest';
import { findTakenBack } from '@/lib/ledger/takes-back';

const written = (name: string, way: string) => ({ hash: `${name}-${way}`, meaning: `1:${name}` });

test('what a return takes back is found by what templates mean, however they are written', () => {
  const earlier = [
    { rollout: 1, from: null, to: written('a', 'short') },
    { rollout: 2, from: written('a', 'short'), to: written('b', 'short') },
    // Only written in another way: it led nowhere.
    { rollout: 3, from: written('a', 'long'), to: written('a', 'short') },
  ];
  const [long, b] = [written('a', 'defaulted'), written('b', 'long')];
  expect(findTakenBack(b, long, earlier)).toStrictEqual({ rollout: 2, others: 1 });
  expect(findTakenBack(written('a', 'short'), long, earlier)).toBeNull();
});
