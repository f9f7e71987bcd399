import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ObservedGroup } from '@/sandbox/controllers/leader-worker-set/groups';
import { nextState } from '@/sandbox/controllers/leader-worker-set/rollout';

/** `u` updated and ready, `n` updated and not ready, `o` on the old revision, `x` deleted and old. */
function groups(text: string): ObservedGroup[] {
  return [...text].map((letter, index) => ({
    index,
    updated: letter === 'u' || letter === 'n',
    ready: letter === 'u' || letter === 'o',
  }));
}

const strategy = { partition: 0, unavailable: 1, surge: 0 };
const at = (replicas: number, partition: number, wanted = 4) => ({ replicas, partition, wanted });
const step = (text: string, more: Partial<Parameters<typeof nextState>[1]> = {}) => ({
  wanted: 4,
  strategy,
  groups: groups(text),
  isNew: false,
  ...more,
});

describe('partition and replicas', () => {
  test('of a new set are 0 and all', () => {
    expect(nextState(undefined, step(''))).toEqual({ partition: 0, replicas: 4 });
  });

  test.each(
    // prettier-ignore
    [
    ['begin with everything held', at(4, 0), step('oooo', { isNew: true }), 4, 4],
    ['begin with the surplus', at(4, 0), step('oooo', { isNew: true, strategy: { ...strategy, surge: 2 } }), 4, 6],
    ['let the highest go first', at(4, 4), step('oooo'), 3, 4],
    ['wait for it', at(4, 3), step('ooon'), 3, 4],
    ['go on when it is ready', at(4, 3), step('ooou'), 2, 4],
    ['let two go where two may be missing', at(4, 4), step('oooo', { strategy: { ...strategy, unavailable: 2 } }), 2, 4],
    ['count a lost group as one that is missing', at(4, 4), step('xooo'), 4, 4],
    ['come to rest at 0', at(4, 1), step('ouuu'), 0, 4],
    ['stay at rest', at(4, 0), step('uuuu'), 0, 4],
    ['give the surplus back at the end', at(5, 1), step('ouuuu', { strategy: { ...strategy, surge: 1 } }), 0, 4],
    ['keep the pointer when groups are added', at(3, 2, 3), step('oou'), 2, 4],
    ['never go below what is held', at(4, 3), step('ooou', { strategy: { ...strategy, partition: 3 } }), 3, 4],
  ],
  )('%s', (_name, state, given, partition, replicas) => {
    expect(nextState(state, given)).toEqual({ partition, replicas });
  });

  test('only ever decrease while nothing else changes, and reach the end', () => {
    const number = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(number, fc.nat(3), fc.nat(3), (wanted, unavailable, surge) => {
        fc.pre(unavailable + surge > 0);
        const rules = { partition: 0, unavailable, surge: Math.min(surge, wanted) };
        const letters = Array.from({ length: wanted }, () => 'o');
        const given = (isNew: boolean) => step(letters.join(''), { wanted, strategy: rules, isNew });
        let state = { ...nextState(at(wanted, 0, wanted), given(true)), wanted };
        for (let look = 0; look < 50; look += 1) {
          while (letters.length < state.replicas) letters.push('u');
          letters.length = state.replicas;
          const outdated = letters.lastIndexOf('o');
          if (outdated >= state.partition) letters[outdated] = 'u';
          const next = nextState(state, given(false));
          expect(next.partition).toBeLessThanOrEqual(state.partition);
          state = { ...next, wanted };
        }
        expect(state).toEqual({ partition: 0, replicas: wanted, wanted });
        expect(letters.slice(0, wanted).join('')).toBe('u'.repeat(wanted));
      }),
    );
  });
});
