import { describe, expect, test } from 'vitest';
import { type RevisionActivations, findPredecessors } from '@/lib/history/predecessor';

const revision = (id: string, ...numbers: number[]): RevisionActivations => ({
  id,
  activations: numbers.map((number) => ({ number })),
});
const predecessorsOf = (
  newestFirst: readonly RevisionActivations[],
  recordedFrom?: ReadonlyMap<number, string>,
) => Object.fromEntries(findPredecessors(newestFirst, recordedFrom));

describe('the predecessor of a revision', () => {
  test('is the revision of the next lower number, though a rollback has renumbered it', () => {
    expect(
      predecessorsOf([revision('a', 1, 5), revision('d', 4), revision('c', 3), revision('b', 2)]),
    ).toEqual({
      a: { id: 'd', ran: true },
      d: { id: 'c', ran: true },
      c: { id: 'b', ran: true },
      b: { id: 'a', ran: true },
    });
  });

  test('is the nearest lower number where no revision is known for the next one, and is marked so', () => {
    expect(predecessorsOf([revision('e', 5), revision('b', 2), revision('a', 1)])).toEqual({
      e: { id: 'b', ran: false },
      b: { id: 'a', ran: true },
    });
  });

  test('is never the revision itself: a restart that only renumbers it is skipped', () => {
    expect(predecessorsOf([revision('b', 2, 3), revision('a', 1)])['b']).toEqual({ id: 'a', ran: true });
  });

  test('is unknown where two revisions share the number', () => {
    expect(predecessorsOf([revision('c', 3), revision('b', 2), revision('a', 2)])['c']).toMatchObject({
      ran: false,
    });
  });

  test('is the one in the record, else the activation before it, whatever the numbers are', () => {
    const revisions: RevisionActivations[] = [
      { id: 'c', activations: [{ number: 3, index: 2 }] },
      { id: 'b', activations: [{ number: 2, index: 3 }] },
      { id: 'a', activations: [{ number: 1, index: 1 }] },
    ];
    expect(predecessorsOf(revisions)).toMatchObject({ b: { id: 'c', ran: true }, c: { id: 'a', ran: true } });
    expect(predecessorsOf(revisions, new Map([[3, 'pruned']]))['b']).toEqual({ id: 'pruned', ran: true });
  });

  test('is the neighbor in the list where no activation is known, and is marked so', () => {
    expect(predecessorsOf([revision('b'), revision('a')])).toEqual({ b: { id: 'a', ran: false } });
  });
});
