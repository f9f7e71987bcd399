import { afterAll, expect, test } from 'vitest';
import {
  connectionOf,
  getConnection,
  isStale,
  staleReason,
  updateClusters,
  updateConnection,
} from '@/components/ui/connection';

/** Modules are loaded once for all files. */
afterAll(() => {
  updateClusters({});
  updateConnection({
    link: 'connecting',
    cluster: 'connecting',
    observedAt: null,
    unreachableCount: 0,
    count: 1,
  });
});

const known = { observedAt: '2026-09-17T12:28:00Z', message: null };

test('an unreachable cluster keeps actions in it from being sent, and none in another', () => {
  updateConnection({ link: 'live' });
  updateClusters({
    eu: { cluster: 'connected', ...known },
    us: { cluster: 'unreachable', ...known },
  });
  expect(isStale(getConnection())).toBe(false);
  expect(staleReason(connectionOf('eu'), 'prod-eu')).toBeNull();
  expect(staleReason(connectionOf('us'), 'prod-us')).toMatch(/^prod-us is unreachable\./);
});

test('without Shiplog nothing can be sent to any cluster, and none of them is blamed', () => {
  updateConnection({ link: 'lost' });
  expect(staleReason(connectionOf('eu'), 'prod-eu')).toMatch(/^The connection to Shiplog is lost\./);
});
