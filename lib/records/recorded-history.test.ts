import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ProvenRevision, mergeActivations } from '@/lib/records/recorded-history';
import type { Activation } from '@/lib/api/revisions';
import type { ArchivedActivation } from '@/lib/api/incarnation';

const time = (minute: number) => new Date(Date.UTC(2026, 7, 1, 0, minute)).toISOString();

function derived(number: number, from: number | null, to: number | null = null, open = false): Activation {
  return {
    number,
    from: from === null ? null : time(from),
    fromNotBefore: null,
    fromNotAfter: null,
    to: to === null ? null : time(to),
    open,
  };
}

function provenRevision(
  id: string,
  activations: readonly Activation[],
  given: Partial<ProvenRevision> = {},
): ProvenRevision {
  const numbers = activations.map(({ number }) => number);
  const number = numbers.at(-1) ?? null;
  return { id, hash: `hash-${id}`, number, numbers, target: false, activations, ...given };
}

function recorded(
  index: number,
  id: string | null,
  number: number | null,
  from: number | null,
  to: number | null,
): ArchivedActivation {
  return {
    workloadUid: 'uid',
    index,
    revision: { number, id, hash: `hash-${id ?? 'unknown'}` },
    from: from === null ? null : time(from),
    fromNotAfter: null,
    to: to === null ? null : time(to),
  };
}

/**
 * A history of templates a to e, numbered as Kubernetes does, of which any subset is archived, pruned or not
 * yet observed.
 */
const recordedPeriods = fc
  .record({
    targets: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 12 }),
    first: fc.nat(12),
    missing: fc.nat(3),
    pruned: fc.subarray(['a', 'b', 'c', 'd', 'e']),
    bounds: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ targets, first, missing, pruned, bounds }) => {
    const turns = targets.filter((id, index) => id !== targets[index - 1]);
    const target = turns.at(-1);
    const activations = turns.map((id, index) => ({ id, ...turn(index, index === turns.length - 1) }));
    const bearers = [...new Set(turns)].map((id): ProvenRevision => {
      const own = activations.filter((entry) => entry.id === id).map(({ id: _id, ...rest }) => rest);
      const isPruned = id !== target && pruned.includes(id);
      return provenRevision(id, isPruned ? [] : own, {
        target: id === target,
        number: own.at(-1)?.number ?? null,
        numbers: own.map(({ number }) => number),
      });
    });
    const seen = activations.slice(first, Math.max(first, activations.length - missing));
    const archive = seen.map(({ id, number, from, to }, index) => ({
      ...recorded(index + 1, id, number, null, null),
      from: bounds[index] === true ? from : null,
      to,
    }));
    return { bearers, archive };
  });

function turn(index: number, isLast: boolean): Activation {
  return derived(index + 1, index * 10, isLast ? null : index * 10 + 10, isLast);
}

describe('activations that the archive observed', () => {
  test('replace what the numbers prove of the same revision, which keeps what preceded the archive', () => {
    const bearers = [
      provenRevision('a', [derived(1, 0, 10), derived(3, null)]),
      provenRevision('b', [derived(2, 10)]),
    ];
    const merged = mergeActivations(bearers, [recorded(1, 'b', 2, 11, 20), recorded(2, 'a', 3, 20, 30)]);
    expect(merged.get('a')).toMatchObject([
      { number: 1, from: time(0), index: null },
      { number: 3, from: time(20), to: time(30), index: 2 },
    ]);
    expect(merged.get('b')).toMatchObject([{ number: 2, from: time(11), to: time(20), index: 1 }]);
  });

  test('are listed for a pruned revision, also where only its template was recorded', () => {
    const gone = provenRevision('gone', [], { number: 4, numbers: [4] });
    const entry = recorded(1, null, 4, 5, 6);
    const merged = mergeActivations(
      [gone],
      [{ ...entry, revision: { ...entry.revision, hash: 'hash-gone' } }],
    );
    expect(merged.get('gone')).toMatchObject([{ number: 4, from: time(5), to: time(6), open: false }]);
  });

  test('leave open a target that the recorder has not observed yet, and close the one before', () => {
    const bearers = [
      provenRevision('a', [derived(1, 0, 10)]),
      provenRevision('b', [derived(2, 10, null, true)], { target: true }),
    ];
    const merged = mergeActivations(bearers, [recorded(1, 'a', 1, 0, null)]);
    expect(merged.get('a')).toMatchObject([{ to: time(10), open: false }]);
    expect(merged.get('b')).toMatchObject([{ from: time(10), open: true, index: null }]);
  });

  test('end as the scripted rollouts do, whatever subset of it is archived or pruned', () => {
    fc.assert(
      fc.property(recordedPeriods, ({ bearers, archive }) => {
        const merged = mergeActivations(bearers, archive);
        const all = [...merged.values()].flat();
        expect(all.filter(({ open }) => open)).toHaveLength(1);
        expect(all.find(({ open }) => open)?.number).toBe(Math.max(...all.map(({ number }) => number)));
        for (const list of merged.values()) {
          const numbers = list.map(({ number }) => number);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        }
        for (const { number, from, to, open } of all) {
          if (from !== null) expect(from).toBe(time((number - 1) * 10));
          if (!open && to !== null) expect(to).toBe(time(number * 10));
        }
        const known = bearers.flatMap(({ activations }) => activations.map(({ number }) => number));
        const numbers = all.map(({ number }) => number);
        for (const entry of archive) expect(numbers).toContain(entry.revision.number);
        for (const number of known) expect(numbers).toContain(number);
      }),
    );
  });

  test('do not change when they are merged again', () => {
    fc.assert(
      fc.property(recordedPeriods, ({ bearers, archive }) => {
        const once = mergeActivations(bearers, archive);
        const again = bearers.map((each) => ({ ...each, activations: once.get(each.id) ?? [] }));
        expect(mergeActivations(again, archive)).toEqual(once);
      }),
    );
  });
});
