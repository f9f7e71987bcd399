import { describe, expect, test } from 'vitest';
import { emptyMemory, type Memory } from '@/lib/ledger/observation';
import { type RolloutRecord, type RolloutSpan } from '@/lib/ledger/record';
import { hour, sampleActivation, sampleLife, sampleRecord } from '@/server/archive/testing/samples';
import { rolloutEvents } from '@/server/notifications/rollout-events';

const life = sampleLife();

/** What the archive says once `last` rollouts are over. */
function memory(last: number, change: Partial<RolloutRecord> = {}): Memory {
  const indexes = Array.from({ length: last }, (_, index) => index + 1);
  return {
    ...emptyMemory,
    life,
    activations: indexes.map((index) => sampleActivation(life, index)),
    record: sampleRecord(life, last, change),
  };
}

const open = { outcome: null, endedAt: null } as const;

function eventsAt(at: number, before: Memory, ...records: RolloutRecord[]): string[] {
  return rolloutEvents(before, records, Date.parse(hour(at))).map(
    ({ id, revertedBy }) => id + (revertedBy === null ? '' : ` by ${revertedBy.id}`),
  );
}

function stuck(from: string, to: string | null = null): RolloutSpan {
  return { kind: 'stuck', from, to, reason: 'The image can’t be pulled.' };
}

/** Back to what ran two rollouts before. */
function returning(index: number, change: Partial<RolloutRecord> = {}): RolloutRecord {
  const { from } = sampleRecord(life, index - 1);
  return sampleRecord(life, index, { ...open, to: from ?? sampleRecord(life, 1).to, ...change });
}

describe('what is told of rollouts', () => {
  test('a start is told once, and an end that all went well not at all', () => {
    expect(eventsAt(3, memory(2), sampleRecord(life, 3, open))).toStrictEqual(['uid-cart.3.started']);
    expect(eventsAt(3.5, memory(3, open), sampleRecord(life, 3))).toStrictEqual([]);
    expect(eventsAt(3.5, memory(3, open), sampleRecord(life, 3, { ...open, cause: 'new' }))).toStrictEqual(
      [],
    );
  });

  test('the first rollout of a workload that is created while it is watched is told', () => {
    expect(eventsAt(1, emptyMemory, sampleRecord(life, 1, open))).toStrictEqual(['uid-cart.1.started']);
  });

  test('nothing is told of what is found on the first look', () => {
    const adopted = {
      unwatched: [{ from: hour(1), to: hour(2) }],
      spans: [stuck(hour(2))],
      startedAt: hour(2),
    };
    expect(eventsAt(2, emptyMemory, sampleRecord(life, 1, { ...open, ...adopted }))).toStrictEqual([]);
    const failed = { ...adopted, outcome: 'failed', endedAt: hour(2) } as const;
    expect(eventsAt(2, emptyMemory, sampleRecord(life, 1, failed))).toStrictEqual([]);
  });

  test('nothing is told of what is more than an hour ago', () => {
    expect(eventsAt(4.01, memory(2), sampleRecord(life, 3, open))).toStrictEqual([]);
    const bound = { startedAt: null, startedNotAfter: hour(3.9) };
    expect(eventsAt(4, memory(2), sampleRecord(life, 3, { ...open, ...bound }))).toStrictEqual([
      'uid-cart.3.started',
    ]);
  });

  test('stuck is told with its reason, and again only after an hour', () => {
    const first = { ...open, spans: [stuck(hour(2.1))] };
    const [event] = rolloutEvents(memory(2, open), [sampleRecord(life, 2, first)], Date.parse(hour(2.2)));
    expect(event).toMatchObject({
      id: 'uid-cart.2.stuck.1',
      at: hour(2.1),
      reason: 'The image can’t be pulled.',
    });
    expect(eventsAt(2.2, memory(2, first), sampleRecord(life, 2, first))).toStrictEqual([]);
    const soon = { ...open, spans: [stuck(hour(2.1), hour(2.2)), stuck(hour(2.3))] };
    expect(eventsAt(2.3, memory(2, first), sampleRecord(life, 2, soon))).toStrictEqual([]);
    const later = { ...open, spans: [stuck(hour(2.1), hour(2.2)), stuck(hour(3.2))] };
    expect(eventsAt(3.2, memory(2, first), sampleRecord(life, 2, later))).toStrictEqual([
      'uid-cart.2.stuck.2',
    ]);
  });

  test('a failure is told when it is seen, with or without the moment', () => {
    const failed = { outcome: 'failed', endedAt: hour(2.5) } as const;
    expect(eventsAt(2.5, memory(2, open), sampleRecord(life, 2, failed))).toStrictEqual([
      'uid-cart.2.failed',
    ]);
    const unseen = { outcome: 'failed', endedAt: null } as const;
    expect(eventsAt(9, memory(2, open), sampleRecord(life, 2, unseen))).toStrictEqual(['uid-cart.2.failed']);
    expect(eventsAt(2.6, memory(2, failed), sampleRecord(life, 2, failed))).toStrictEqual([]);
  });

  test('a return is known by what its template means, however it is written', () => {
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
    // What is only written in another way has not been left.
    const stays = { ...sampleRecord(life, 3).to, hash: 'with defaults' };
    expect(eventsAt(4, memory(3), returning(4, { to: stays }))).toStrictEqual(['uid-cart.4.started']);
  });

  test('a return takes back the rollout before it, whether that was over or under way, and is told once', () => {
    const back = returning(4);
    expect(eventsAt(4, memory(3), back)).toStrictEqual([
      'uid-cart.4.started',
      'uid-cart.3.rolledBack by uid-cart.4',
    ]);
    const ended = sampleRecord(life, 3, { outcome: 'rolledBack', endedAt: hour(4) });
    const told = eventsAt(4, memory(3, open), ended, back).sort();
    expect(told).toStrictEqual(['uid-cart.3.rolledBack by uid-cart.4', 'uid-cart.4.started']);
    expect(eventsAt(4, memory(3), sampleRecord(life, 4, open))).toStrictEqual(['uid-cart.4.started']);
  });
});
