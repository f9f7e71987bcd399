// @vitest-environment jsdom
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import {
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from '@/components/ui/address-parsers';
import { useAddressValues } from '@/components/ui/address-values';
import { setSearch } from '@/test/router';

vi.mock('next/navigation', () => import('@/test/router'));

afterEach(cleanup);

const parsers = {
  q: parseAsString.withDefault(''),
  at: parseAsString,
  sort: parseAsStringLiteral(['name', 'age']).withDefault('name'),
  step: parseAsInteger,
  mixed: parseAsBoolean.withDefault(false),
};

function open(search: string) {
  setSearch(search);
  const { result, unmount } = renderHook(() => useAddressValues(parsers));
  return { values: () => result.current[0], change: result.current[1], leave: unmount };
}

const address = (search: string) => waitFor(() => expect(window.location.search).toBe(search));

test('reads the values of the address; one that is invalid counts as absent', () => {
  expect(open('?q=a+b&at=x&sort=age&step=3&mixed=true').values()).toEqual({
    ...{ q: 'a b', at: 'x', sort: 'age', step: 3, mixed: true },
  });
  cleanup();
  const absent = { q: '', at: null, sort: 'name', step: null, mixed: false };
  expect(open('?sort=size&step=3x&mixed=1').values()).toEqual(absent);
  cleanup();
  expect(open('').values()).toEqual(absent);
});

test('shows a change at once, keeps values of others, and never states a default', async () => {
  const { values, change } = open('?other=1&sort=age&from=12:24');
  act(() => change({ at: 'shop/cart', sort: 'name' }, 'replace'));
  expect(values()).toMatchObject({ at: 'shop/cart', sort: 'name' });
  await address('?other=1&from=12:24&at=shop/cart');
  expect(values()).toMatchObject({ at: 'shop/cart', sort: 'name' });
});

test('every change counts, however fast they follow each other, in few entries of the history', async () => {
  const { values, change } = open('');
  const entries = window.history.length;
  const replaceState = vi.spyOn(window.history, 'replaceState');
  for (let step = 1; step <= 50; step += 1) act(() => change({ step }, step === 1 ? 'push' : 'replace'));
  expect(values().step).toBe(50);
  act(() => change({ q: 'cart' }, 'replace'));
  await address('?step=50&q=cart');
  expect(window.history.length).toBe(entries + 1);
  expect(replaceState.mock.calls.length).toBeLessThan(3);
});

test('the back button and links change what is shown, also after changes here', async () => {
  const { values, change } = open('?q=one');
  act(() => change({ q: 'two' }, 'push'));
  await address('?q=two');
  act(() => window.history.back());
  await waitFor(() => expect(values().q).toBe('one'));
  act(() => change({ q: 'three' }, 'replace'));
  await address('?q=three');
  act(() => setSearch(''));
  expect(values().q).toBe('');
});

test('a page that has been left changes no address', async () => {
  const first = open('');
  act(() => first.change({ q: 'cart' }, 'replace'));
  first.leave();
  const second = open('');
  expect(second.values().q).toBe('');
  act(() => second.change({ at: 'x' }, 'replace'));
  await address('?at=x');
});
