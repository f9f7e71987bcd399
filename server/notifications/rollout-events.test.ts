import { describe, expect, test } from 'vitest';
import { emptyMemory, type RecorderMemory } from '@/lib/records/observation';
import type { RolloutRecord, RolloutSpan } from '@/lib/api/record';
import { hour, sampleActivation, sampleIncarnation, sampleRecord } from '@/server/archive/testing/samples';
import { rolloutEvents } from '@/server/notifications/rollout-events';

const cart = sampleIncarnation();

/** What the archive has after `last` rollouts. */
function memory(last: number, change: Partial<RolloutRecord> = {}): RecorderMemory {
  const indexes = Array.from({ length: last }, (_, index) => index + 1);
  return {
    ...emptyMemory,
    incarnation: cart,
    activations: indexes.map((index) => sampleActivation(cart, index)),
    record: sampleRecord(cart, last, change),
  };
}

const open = { outcome: null, endedAt: null } as const;

function eventsAt(at: number, before: RecorderMemory, ...records: RolloutRecord[]): string[] {
  return rolloutEvents(before, records, Date.parse(hour(at))).map(
    ({ id, revertedBy }) => id + (revertedBy === null ? '' : ` by ${revertedBy.id}`),
  );
}

function stuck(from: string, to: string | null = null): RolloutSpan {
  return { kind: 'stuck', from, to, reason: 'The image can’t be pulled.' };
}

/** Back to the target of two rollouts before. */
function returning(index: number, change: Partial<RolloutRecord> = {}): RolloutRecord {
  const { from } = sampleRecord(cart, index - 1);
  return sampleRecord(cart, index, { ...open, to: from ?? sampleRecord(cart, 1).to, ...change });
}

describe('events of rollouts', () => {
  test('notifies of a start once, and of an end without problems not at all', () => {
    expect(eventsAt(3, memory(2), sampleRecord(cart, 3, open))).toStrictEqual(['uid-cart.3.started']);
    expect(eventsAt(3.5, memory(3, open), sampleRecord(cart, 3))).toStrictEqual([]);
    expect(eventsAt(3.5, memory(3, open), sampleRecord(cart, 3, { ...open, cause: 'new' }))).toStrictEqual(
      [],
    );
  });

  test('notifies of the first rollout of a workload that is created while it is watched', () => {
    expect(eventsAt(1, emptyMemory, sampleRecord(cart, 1, open))).toStrictEqual(['uid-cart.1.started']);
  });

  test('does not notify of what is found on the first reconcile', () => {
    const adopted = {
      unwatched: [{ from: hour(1), to: hour(2) }],
      spans: [stuck(hour(2))],
      startedAt: hour(2),
    };
    expect(eventsAt(2, emptyMemory, sampleRecord(cart, 1, { ...open, ...adopted }))).toStrictEqual([]);
    const failed = { ...adopted, outcome: 'failed', endedAt: hour(2) } as const;
    expect(eventsAt(2, emptyMemory, sampleRecord(cart, 1, failed))).toStrictEqual([]);
  });

  test('does not notify of a rollout without pods that is reverted', () => {
    const before = memory(2, { outcome: 'noPods' });
    expect(eventsAt(3, before, returning(3))).toStrictEqual(['uid-cart.3.started']);
  });

  test('does not notify of what is more than an hour old', () => {
    expect(eventsAt(4.01, memory(2), sampleRecord(cart, 3, open))).toStrictEqual([]);
    const bound = { startedAt: null, startedNotAfter: hour(3.9) };
    expect(eventsAt(4, memory(2), sampleRecord(cart, 3, { ...open, ...bound }))).toStrictEqual([
      'uid-cart.3.started',
    ]);
  });

  test('notifies of a stalled rollout with its reason, and again only after an hour', () => {
    const first = { ...open, spans: [stuck(hour(2.1))] };
    const [event] = rolloutEvents(memory(2, open), [sampleRecord(cart, 2, first)], Date.parse(hour(2.2)));
    expect(event).toMatchObject({
      id: 'uid-cart.2.stuck.1',
      at: hour(2.1),
      reason: 'The image can’t be pulled.',
    });
    expect(eventsAt(2.2, memory(2, first), sampleRecord(cart, 2, first))).toStrictEqual([]);
    const soon = { ...open, spans: [stuck(hour(2.1), hour(2.2)), stuck(hour(2.3))] };
    expect(eventsAt(2.3, memory(2, first), sampleRecord(cart, 2, soon))).toStrictEqual([]);
    const later = { ...open, spans: [stuck(hour(2.1), hour(2.2)), stuck(hour(3.2))] };
    expect(eventsAt(3.2, memory(2, first), sampleRecord(cart, 2, later))).toStrictEqual([
      'uid-cart.2.stuck.2',
    ]);
  });

  test('notifies of a failure when it is observed, with or without its time', () => {
    const failed = { outcome: 'failed', endedAt: hour(2.5) } as const;
    expect(eventsAt(2.5, memory(2, open), sampleRecord(cart, 2, failed))).toStrictEqual([
      'uid-cart.2.failed',
    ]);
    const unseen = { outcome: 'failed', endedAt: null } as const;
    expect(eventsAt(9, memory(2, open), sampleRecord(cart, 2, unseen))).toStrictEqual(['uid-cart.2.failed']);
    expect(eventsAt(2.6, memory(2, failed), sampleRecord(cart, 2, failed))).toStrictEqual([]);
  });

  test('recognizes a return by the meaning of its template, in any notation', () => {
    const before = memory(3);
    const [first] = before.activations;
    const known = { ...first?.revision, number: 1, id: 'rs-1', hash: 'as applied', meaning: '1:one' };
    const activations = before.activations.map((each) =>
      each === first ? { ...each, revision: known } : each,
    );
    const to = { ...known, id: 'rs-9', hash: 'with defaults' };
    expect(eventsAt(4, { ...before, activations }, returning(4, { to }))).toStrictEqual([
      'uid-cart.4.started',
      'uid-cart.3.rolledBack by uid-cart.4',
    ]);
    // Another notation of the same template is no new target.
    const stays = { ...sampleRecord(cart, 3).to, hash: 'with defaults' };
    expect(eventsAt(4, memory(3), returning(4, { to: stays }))).toStrictEqual(['uid-cart.4.started']);
  });

  test('a return reverts the rollout before it, completed or in progress, and notifies once', () => {
    const back = returning(4);
    expect(eventsAt(4, memory(3), back)).toStrictEqual([
      'uid-cart.4.started',
      'uid-cart.3.rolledBack by uid-cart.4',
    ]);
    const ended = sampleRecord(cart, 3, { outcome: 'rolledBack', endedAt: hour(4) });
    const told = eventsAt(4, memory(3, open), ended, back).sort();
    expect(told).toStrictEqual(['uid-cart.3.rolledBack by uid-cart.4', 'uid-cart.4.started']);
    expect(eventsAt(4, memory(3), sampleRecord(cart, 4, open))).toStrictEqual(['uid-cart.4.started']);
  });
});
