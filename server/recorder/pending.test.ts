import { expect, test } from 'vitest';
import { type Notice } from '@/server/archive/archive';
import { sampleLife, sampleRecord } from '@/server/archive/testing/samples';
import { Pending } from '@/server/recorder/pending';

const life = sampleLife();

function notice(id: string): Notice {
  return { id, kind: 'started', atMs: 0, payload: '', targets: [] };
}

function add(pending: Pending, index: number, ...ids: string[]): void {
  const records = [sampleRecord(life, index)];
  pending.add(life, { life: null, revisions: [], activations: [], records }, () => null, ids.map(notice));
}

const idsIn = (pending: Pending) =>
  pending.take(10).flatMap(({ notices = [] }) => notices.map(({ id }) => id));

test('what is to be told waits with what it tells of, and goes back with it when that could not be recorded', () => {
  const pending = new Pending();
  add(pending, 1, 'a', 'b');
  const taken = pending.take(10);
  add(pending, 2, 'c', 'b');
  pending.putBack(taken);
  expect(pending.take(10)).toMatchObject([
    { records: [{ activation: 1 }, { activation: 2 }], notices: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
  ]);
});

test('of what is to be told of one workload the latest hundred wait', () => {
  const pending = new Pending();
  for (let index = 1; index <= 130; index += 1) add(pending, 1, `n${index}`);
  const ids = idsIn(pending);
  expect(ids).toHaveLength(100);
  expect(ids.at(-1)).toBe('n130');
});
