import { expect, test } from 'vitest';
import { isQuickSuccess, orderQueue } from '@/components/review/queue-order';
import type { QueuedRecord } from '@/lib/api/review-queue';
import { minutesAgo, sampleRecordAnswer } from '@/test/record-samples';

function queued(
  id: string,
  name: string,
  startedAt: string,
  change: Partial<QueuedRecord> = {},
): QueuedRecord {
  const record = sampleRecordAnswer({ id, startedAt, endedAt: startedAt });
  return { ...record, workload: { ...record.workload, name }, ...change };
}

const stalled = { kind: 'stuck' as const, from: minutesAgo(9), to: minutesAgo(8), reason: 'Crash loop' };

function idsOf(records: readonly QueuedRecord[]) {
  return orderQueue(records).map(({ title, groups }) => [
    title,
    ...groups.map((group) => group.records.map(({ id }) => id).join(' ')),
  ]);
}

test('puts what failed first, and groups the rollouts of a workload in one hour', () => {
  const records = [
    queued('cart-2', 'cart', '2026-09-17T11:50:00Z'),
    queued('pay', 'pay', '2026-09-17T11:40:00Z'),
    queued('cart-1', 'cart', '2026-09-17T11:05:00Z'),
    queued('cart-0', 'cart', '2026-09-17T10:59:00Z'),
    queued('ledger-2', 'ledger', '2026-09-17T09:30:00Z'),
    queued('ledger-1', 'ledger', '2026-09-17T09:10:00Z', { outcome: 'rolledBack' }),
    queued('search', 'search', '2026-09-17T08:00:00Z', { spans: [stalled] }),
  ];
  expect(idsOf(records)).toEqual([
    ['Needs attention', 'ledger-1 ledger-2', 'search'],
    ['Other rollouts', 'cart-2 cart-1', 'pay', 'cart-0'],
  ]);
});

test('keeps apart workloads of one name in two namespaces, and in two clusters', () => {
  const cart = queued('a', 'cart', '2026-09-17T11:50:00Z');
  const other = { ...cart, id: 'b', workload: { ...cart.workload, namespace: 'staging' } };
  const elsewhere = { ...cart, id: 'c', workload: { ...cart.workload, cluster: 'other' } };
  expect(idsOf([cart, other, elsewhere])).toEqual([['Other rollouts', 'a', 'b', 'c']]);
});

test('offers only rollouts that completed within ten minutes and undisturbed as quick successes', () => {
  const at = '2026-09-17T11:50:00Z';
  const quick = queued('a', 'cart', at);
  expect(isQuickSuccess(quick)).toBe(true);
  for (const change of [
    { endedAt: '2026-09-17T12:00:01Z' },
    { revertedBy: 'r9' },
    { outcome: 'failed' as const },
    { outcome: null, endedAt: null },
    { spans: [stalled] },
    { startedAt: null },
  ])
    expect(isQuickSuccess({ ...quick, ...change })).toBe(false);
});
