// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
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

function Search() {
  const [q, setQ] = useQueryState('q');
  return <input value={q ?? ''} onChange={({ target }) => void setQ(target.value)} />;
}

/** Returns once the address bar has it. */
async function write(q: string) {
  fireEvent.change(screen.getByRole('textbox'), { target: { value: q } });
  await vi.waitFor(() => expect(window.location.search).toBe(`?q=${q}`));
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
  await write('check');
  expect(window.history.state).toBeNull();
  window.history.replaceState(KNOWN_TO_ROUTER, '', window.location.href);
  onOpenPage('/workloads/deployments.apps/shop/checkout');
  router.query = 'q=check';
  rerender(page());
  await write('checkout');
  expect(window.history.state).toEqual(KNOWN_TO_ROUTER);
});

test.each([
  ['another path', '/timeline', '', 'cart'],
  ['another query', '/', 'q=pay', 'mail'],
])('a write after the page has opened is one that the router follows: %s', async (_, path, query, typed) => {
  const { rerender } = render(page());
  const href = `${path}?${query}`;
  onOpenPage(href);
  Object.assign(router, { path, query });
  window.history.replaceState(KNOWN_TO_ROUTER, '', href);
  rerender(page());
  await write(typed);
  expect(window.history.state).toBeNull();
});
