import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { behindOf } from '@/server/cluster/behind';

const now = 100_000;
const following = { phase: 'watching', synced: true, unfollowedSince: undefined, error: undefined } as const;
const error = new AppError('cluster_error', 'API server: out of order');

test('a resource that was followed until a moment ago is not behind', () => {
  const reopening = { ...following, unfollowedSince: now - 4_999 };
  expect(behindOf([following, reopening], now)).toBeUndefined();
});

test('a resource not followed for seconds is behind since then, with the reason in a sentence', () => {
  const late = { ...following, phase: 'retrying', unfollowedSince: now - 5_000, error } as const;
  const later = { ...following, phase: 'listing', unfollowedSince: now - 6_000 } as const;
  expect(behindOf([following, late], now)).toEqual({
    since: now - 5_000,
    reason: 'API server: out of order.',
  });
  expect(behindOf([late, later], now)).toEqual({ since: now - 6_000, reason: 'It is being listed again.' });
});

test.each([
  { ...following, phase: 'listing', synced: false, unfollowedSince: 0 },
  { ...following, phase: 'forbidden', unfollowedSince: 0, error },
  { ...following, phase: 'unserved', unfollowedSince: 0, error },
] as const)('a resource never read, or forbidden, is missing and not behind: $phase', (state) => {
  expect(behindOf([state], now)).toBeUndefined();
});
