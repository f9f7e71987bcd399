import { expect, test } from 'vitest';
import { updatedInPlaceAt } from '@/lib/workloads/kruise/in-place-state';
import { type PodSummary } from '@/lib/workloads/pod';

const told = (state: string | undefined, name = 'cart-6b79dc8985') =>
  updatedInPlaceAt(
    { ...(state !== undefined && { marks: { 'apps.kruise.io/inplace-update-state': state } }) } as PodSummary,
    { name },
  );
const state = (revision: string) => JSON.stringify({ revision, updateTimestamp: '2026-11-22T13:11:48Z' });

test('a pod says when it got a revision in place, by the name of the revision or by its hash alone', () => {
  expect(told(state('cart-6b79dc8985'))).toBe('2026-11-22T13:11:48Z');
  expect(told(state('6b79dc8985'))).toBe('2026-11-22T13:11:48Z');
});

test('a pod whose last update in place was to another revision says nothing, nor does what cannot be read', () => {
  for (const given of [state('cart-66c955c546'), state('b79dc8985'), undefined, '{', '[]', '{"revision":7}'])
    expect(told(given)).toBeNull();
});
