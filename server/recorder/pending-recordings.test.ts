import { expect, test } from 'vitest';
import type { Notice } from '@/server/archive/outbox';
import { sampleIncarnation, sampleRecord } from '@/server/archive/testing/samples';
import { PendingRecordings } from '@/server/recorder/pending-recordings';

const incarnation = sampleIncarnation();

function notice(id: string): Notice {
  return { id, cluster: 'prod', kind: 'started', atMs: 0, payload: '', targets: [] };
}

function add(pending: PendingRecordings, index: number, ...ids: string[]): void {
  const records = [sampleRecord(incarnation, index)];
  pending.add(
    incarnation,
    { incarnation: null, revisions: [], activations: [], records },
    () => null,
    ids.map(notice),
  );
}

const idsIn = (pending: PendingRecordings) =>
  pending.takeBatch(10).flatMap(({ notices = [] }) => notices.map(({ id }) => id));

test('a notice waits with its recording, and is put back with it when that could not be recorded', () => {
  const pending = new PendingRecordings();
  add(pending, 1, 'a', 'b');
  const taken = pending.takeBatch(10);
  add(pending, 2, 'c', 'b');
  pending.putBack(taken);
  expect(pending.takeBatch(10)).toMatchObject([
    { records: [{ activation: 1 }, { activation: 2 }], notices: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
  ]);
});

test('of one workload the latest hundred notices wait', () => {
  const pending = new PendingRecordings();
  for (let index = 1; index <= 130; index += 1) add(pending, 1, `n${index}`);
  const ids = idsIn(pending);
  expect(ids).toHaveLength(100);
  expect(ids.at(-1)).toBe('n130');
});
