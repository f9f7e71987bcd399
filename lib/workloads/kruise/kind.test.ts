import { expect, test } from 'vitest';

import type { PodSummary } from '@/lib/history/pod';
import { updatedInPlaceAt } from '@/lib/workloads/kruise/kind';

const updatedAt = (state: string | undefined, name = 'cart-6b79dc8985') =>
  updatedInPlaceAt(
    {
      ...(state !== undefined && { metadataValues: { 'apps.kruise.io/inplace-update-state': state } }),
    } as PodSummary,
    { name },
  );
const state = (revision: string) => JSON.stringify({ revision, updateTimestamp: '2026-11-22T13:11:48Z' });

test('a pod reports when it got a revision in place, by the name of the revision or by its hash alone', () => {
  expect(updatedAt(state('cart-6b79dc8985'))).toBe('2026-11-22T13:11:48Z');
  expect(updatedAt(state('6b79dc8985'))).toBe('2026-11-22T13:11:48Z');
});

test('a pod whose last update in place was to another revision reports nothing, nor does an unreadable one', () => {
  for (const given of [state('cart-66c955c546'), state('b79dc8985'), undefined, '{', '[]', '{"revision":7}'])
    expect(updatedAt(given)).toBeNull();
});
