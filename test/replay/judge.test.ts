import { expect, test } from 'vitest';
import type { Facts } from '@/test/replay/facts/facts';
import { type Correction, type GoldenLine, Judge } from '@/test/replay/judge';

const golden: GoldenLine[] = [
  ['1', 'shop', { state: 'rolling', pods: '3' }],
  ['2', 'shop', { state: 'stuck' }],
  ['3', 'shop', null],
];
const first = { state: 'rolling', pods: '3' };

/** The faults of what the code says of `shop` at 1, 2 and 3. */
function faultsOf(
  second: Facts | null,
  corrections: Correction[] = [],
  third: Facts | null = null,
): string[] {
  const judge = new Judge('in', golden, corrections);
  judge.hear('1', 'shop', first);
  judge.hear('2', 'shop', second);
  judge.hear('3', 'shop', third);
  judge.end();
  return judge.faults;
}

const correction = (name: string, state: string, rows = 1): Correction => ({
  name,
  source: 'a controller',
  rows: { in: rows },
  applies: ({ facts }) => facts?.state === 'stuck',
  right: () => ({ state }),
});
const held = correction('it is held', 'held');
const stuck = { state: 'stuck', pods: '3' };

test.each<[string, string[], string[]]>([
  ['the same facts have no fault', faultsOf(stuck), []],
  [
    'a difference without a correction',
    faultsOf({ state: 'held', pods: '3' }),
    ['in, 2, shop, state: stuck → held'],
  ],
  ['a member more', faultsOf({ ...stuck, why: 'quota' }), ['in, 2, shop, why: (nothing) → quota']],
  ['a member less', faultsOf({ state: 'stuck' }), ['in, 2, shop, pods: 3 → (nothing)']],
  [
    'an object that should be gone',
    faultsOf(stuck, [], stuck),
    ['in, 3, shop, state: (nothing) → stuck', 'in, 3, shop, pods: (nothing) → 3'],
  ],
  ['an object that is gone too soon', faultsOf(null), ['in, 2, shop, (all): (nothing) → gone']],
  ['what a correction says is right', faultsOf({ state: 'held', pods: '3' }, [held]), []],
  [
    'a corrected row that did not change',
    faultsOf(stuck, [held]),
    ['in, 2, shop, state: held by a correction → stuck'],
  ],
  [
    'a corrected row that is wrong in another member',
    faultsOf({ state: 'held', pods: '4' }, [held]),
    ['in, 2, shop, pods: 3 → 4'],
  ],
  [
    'a correction that corrects nothing',
    faultsOf(stuck, [correction('so', 'stuck')]),
    ['in, 2, shop, state: "so" corrects nothing'],
  ],
  [
    'a correction of too many rows',
    faultsOf({ state: 'held', pods: '3' }, [correction('it', 'held', 2)]),
    ['in: "it" covers 1 rows instead of 2'],
  ],
  [
    'two corrections that disagree',
    faultsOf({ state: 'paused', pods: '3' }, [held, correction('it is paused', 'paused')]),
    ['in, 2, shop, state: two corrections disagree: held and paused'],
  ],
])('%s', (_, faults, wanted) => expect(faults).toEqual(wanted));

test('a moment that is never heard is a fault', () => {
  const judge = new Judge('in', golden, []);
  judge.hear('1', 'shop', first);
  judge.end();
  expect(judge.faults).toEqual(['in, 2, shop: no longer there', 'in, 3, shop: no longer there']);
});

test('an unchanged fact needs no line', () => {
  const judge = new Judge('in', [['1', 'shop', first]], []);
  for (const at of ['1', '2']) judge.hear(at, 'shop', first);
  judge.end();
  expect(judge.faults).toEqual([]);
});

test('a correction knows the objects and the start of its moment', () => {
  const startMs = Date.parse('2026-03-02T09:00:00Z');
  const bySeconds: Correction = {
    ...held,
    right: (_, __, scene) => ({ state: `held since ${scene().startMs}: ${scene().objects.length}` }),
  };
  const judge = new Judge('in', golden.slice(0, 2), [bySeconds]);
  judge.hear('1', 'shop', first);
  judge.hear('2', 'shop', { ...first, state: `held since ${startMs}: 0` }, () => ({
    ...{ objects: [], startMs, nowMs: startMs },
  }));
  judge.end();
  expect(judge.faults).toEqual([]);
});
