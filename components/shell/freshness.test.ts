import { expect, test } from 'vitest';
import { describeAway, describeFreshness } from '@/components/shell/freshness';
import type { PageConnection } from '@/components/ui/connection';
import { threeClusters } from '@/test/clusters';

const nowMs = Date.parse('2026-09-17T12:32:00Z');
const good: PageConnection = {
  link: 'live',
  linkSinceMs: nowMs - 12_000,
  cluster: 'connected',
  observedAt: '2026-09-17T12:28:00Z',
  message: null,
  count: 1,
  unreachableCount: 0,
};

test.each<[Partial<PageConnection>, string]>([
  [{}, 'live'],
  [{ link: 'connecting' }, 'connecting'],
  [{ cluster: 'connecting' }, 'connecting'],
  [{ link: 'lost' }, 'disconnected for 12 s'],
  [{ cluster: 'unreachable' }, '4 min old'],
  [{ cluster: 'unreachable', observedAt: null }, 'cluster unreachable'],
  [{ link: 'lost', cluster: 'unreachable' }, 'disconnected for 12 s'],
])('%j reads %s', (change, word) => {
  expect(describeFreshness({ ...good, ...change }, nowMs).word).toBe(word);
});

test('names how many of several clusters are unreachable, and each with its reason', () => {
  const connection = { ...good, count: 3, unreachableCount: 1 };
  expect(describeFreshness(connection, nowMs).word).toBe('1 of 3 unreachable');
  const [eu, us] = threeClusters;
  if (eu === undefined || us === undefined) expect.fail('no clusters');
  const away = { ...us, state: 'unreachable' as const, since: '2026-09-17T12:02:00Z', message: 'No route.' };
  expect(describeAway([eu, away], 'UTC')).toEqual([
    expect.stringMatching(/^prod-us: unreachable since 12:02.*\. No route\.$/),
  ]);
});
