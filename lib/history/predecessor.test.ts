import { describe, expect, test } from 'vitest';
import { type Bearer, findPredecessors } from '@/lib/history/predecessor';

const bearer = (id: string, ...numbers: number[]): Bearer => ({
  id,
  activations: numbers.map((number) => ({ number })),
});
const told = (newestFirst: readonly Bearer[], recordedFrom?: ReadonlyMap<number, string>) =>
  Object.fromEntries(findPredecessors(newestFirst, recordedFrom));

describe('what a revision is compared with', () => {
  test('is the revision of the next lower number, though a rollback has renumbered it', () => {
    expect(told([bearer('a', 1, 5), bearer('d', 4), bearer('c', 3), bearer('b', 2)])).toEqual({
      a: { id: 'd', ran: true },
      d: { id: 'c', ran: true },
      c: { id: 'b', ran: true },
      b: { id: 'a', ran: true },
    });
  });

  test('is the nearest lower number where the next one is known of no revision, which is said', () => {
    expect(told([bearer('e', 5), bearer('b', 2), bearer('a', 1)])).toEqual({
      e: { id: 'b', ran: false },
      b: { id: 'a', ran: true },
    });
  });

  test('is never the revision itself: a restart of nothing but its number is passed over', () => {
    expect(told([bearer('b', 2, 3), bearer('a', 1)])['b']).toEqual({ id: 'a', ran: true });
  });

  test('is not told apart where two revisions share the number', () => {
    expect(told([bearer('c', 3), bearer('b', 2), bearer('a', 2)])['c']).toMatchObject({ ran: false });
  });

  test('is what the record says, else the activation before it, whatever the numbers are', () => {
    const revisions: Bearer[] = [
      { id: 'c', activations: [{ number: 3, index: 2 }] },
      { id: 'b', activations: [{ number: 2, index: 3 }] },
      { id: 'a', activations: [{ number: 1, index: 1 }] },
    ];
    expect(told(revisions)).toMatchObject({ b: { id: 'c', ran: true }, c: { id: 'a', ran: true } });
    expect(told(revisions, new Map([[3, 'pruned']]))['b']).toEqual({ id: 'pruned', ran: true });
  });

  test('is the neighbor in the list where no activation is known, which is said', () => {
    expect(told([bearer('b'), bearer('a')])).toEqual({ b: { id: 'a', ran: false } });
  });
});
