// @vitest-environment jsdom
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRecordClosing, workloadDetailQuery } from '@/components/queries/workload-detail';
import { sampleDetail, sampleItem } from '@/test/samples';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const record = {
  id: 'r',
  outcome: null,
  startedAt: null,
  endedAt: null,
  actor: null,
  cause: null,
};

test('treats a record as about to close only when its rollout has ended and the record is open', () => {
  const { lastRollout } = sampleItem();
  if (lastRollout === null) throw new Error('no rollout');
  const open = { lastRollout: { ...lastRollout, record } };
  expect(isRecordClosing(sampleItem(open))).toBe(true);
  expect(isRecordClosing(sampleItem({ ...open, state: 'rolling' }))).toBe(false);
  expect(isRecordClosing(sampleItem())).toBe(false);
  const closed = { ...record, outcome: 'completed' as const };
  expect(isRecordClosing(sampleItem({ lastRollout: { ...lastRollout, record: closed } }))).toBe(false);
  expect(isRecordClosing(undefined)).toBe(false);
});

test('reads a workload again until the archive is no longer missing from it', async () => {
  const missing = { resource: 'archive', reason: 'The archive did not respond within 0.5 s.' };
  const answers = [[missing], [missing], []].map((partial) => ({ ...sampleDetail(), partial }));
  const fetched = vi.fn(() => Promise.resolve(Response.json(answers.shift())));
  vi.stubGlobal('fetch', fetched);
  const client = new QueryClient();
  const ref = { cluster: undefined, resource: 'deployments.apps', namespace: 'shop', name: 'cart' };
  const stop = new QueryObserver(client, workloadDetailQuery(ref)).subscribe(() => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  stop();
  client.clear();
});
