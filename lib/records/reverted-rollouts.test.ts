import { expect, test } from 'vitest';
import { findRevertedRollouts } from '@/lib/records/reverted-rollouts';

const written = (name: string, way: string) => ({ hash: `${name}-${way}`, meaning: `1:${name}` });

test('the rollouts that a return reverts are found by the meaning of templates, in whatever form', () => {
  const earlier = [
    { rollout: 1, from: null, to: written('a', 'short') },
    { rollout: 2, from: written('a', 'short'), to: written('b', 'short') },
    // Only another form of the same template: it changed nothing.
    { rollout: 3, from: written('a', 'long'), to: written('a', 'short') },
  ];
  const [long, b] = [written('a', 'defaulted'), written('b', 'long')];
  expect(findRevertedRollouts(b, long, earlier)).toStrictEqual({ rollout: 2, others: 1 });
  expect(findRevertedRollouts(written('a', 'short'), long, earlier)).toBeNull();
});
