// @vitest-environment jsdom
import { act, cleanup, render } from '@testing-library/react';
import { useQueryState } from 'nuqs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AddressAdapter, onOpenPage } from '@/components/ui/address-adapter';

/** The address as the router knows it: later than the address bar. */
const router = vi.hoisted(() => ({ path: '/', query: '' }));
vi.mock('next/navigation', async () => ({
  ...(await import('@/test/router')),
  usePathname: () => router.path,
  useSearchParams: () => new URLSearchParams(router.query),
}));

const KNOWN_TO_ROUTER = { known: 'to the router' };
let write: (q: string) => Promise<unknown>;

function Search() {
  const [, setQ] = useQueryState('q');
  write = setQ;
  return null;
}

const page = () => (
  <AddressAdapter>
    <Search />
  </AddressAdapter>
);

beforeEach(() => {
  Object.assign(router, { path: '/', query: '' });
  window.history.replaceState(KNOWN_TO_ROUTER, '', '/');
});
afterEach(cleanup);

test('a write while a page opens does not stop it, not even when the router learns of an earlier write', async () => {
  const { rerender } = render(page());
  await act(() => write('check'));
  expect(window.history.state).toBeNull();
  window.history.replaceState(KNOWN_TO_ROUTER, '', window.location.href);
  onOpenPage('/workloads/deployments.apps/shop/checkout');
  router.query = 'q=check';
  rerender(page());
  await act(() => write('checkout'));
  expect(window.location.search).toBe('?q=checkout');
  expect(window.history.state).toEqual(KNOWN_TO_ROUTER);
});

test.each([
  ['another path', '/timeline', ''],
  ['another query', '/', 'q=pay'],
])('a write after the page has opened is one that the router follows: %s', async (_, path, query) => {
  const { rerender } = render(page());
  const href = `${path}?${query}`;
  onOpenPage(href);
  Object.assign(router, { path, query });
  window.history.replaceState(KNOWN_TO_ROUTER, '', href);
  rerender(page());
  await act(() => write('checkout'));
  expect(window.history.state).toBeNull();
});
