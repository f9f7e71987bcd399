// @vitest-environment jsdom
import { QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { rowLink } from '@/components/list/list-table';
import { periodMenu, SearchBar } from '@/components/list/search-bar';
import { updateConnection } from '@/components/ui/connection';
import { listShortcuts } from '@/components/ui/shortcuts';
import { AppError } from '@/lib/errors';
import { push } from '@/test/router';
import { stubResizeObserver } from '@/test/resize-observer';

vi.mock('next/navigation', () => import('@/test/router'));

interface Pod {
  name: string;
}
interface Page {
  items: readonly Pod[];
  partial: readonly { resource: string; reason: string }[];
  nextCursor: string | null;
}

const answer = vi.fn<(filters: object, cursor: string) => Page | Promise<Page>>();
const page = (names: readonly string[], nextCursor: string | null = null): Page => ({
  items: names.map((name) => ({ name })),
  partial: [],
  nextCursor,
});

const address = {
  q: parseAsString.withDefault(''),
  state: parseAsStringLiteral(['open', 'done']),
  since: parseAsString,
  actor: parseAsString,
};

const pods: List<typeof address, Page> = {
  title: 'Pods',
  label: 'Pods by name',
  noun: 'pod',
  isLive: true,
  isSticky: true,
  address,
  useAnswer: (stated) =>
    useInfiniteQuery({
      queryKey: ['pods', stated],
      queryFn: async ({ pageParam }) => answer(stated, pageParam),
      initialPageParam: '',
      getNextPageParam: ({ nextCursor }) => nextCursor,
    }),
  Bar: SearchBar,
  filters: {
    search: { label: 'Search the pods', placeholder: 'Name' },
    chips: [
      { label: 'All', set: { state: null } },
      { label: 'Open', set: { state: 'open' } },
    ],
    menus: [periodMenu],
    exact: ['actor'],
  },
  loading: { label: 'Loading the pods', rows: 2 },
  noMatch: 'Names are searched.',
  empty: () => <p>There is no pod</p>,
  keyOf: ({ name }) => name,
  href: ({ name }) => `/pods/${name}`,
  columns: [{ title: 'Pod', width: 'auto', link: rowLink, cell: ({ name }) => name }],
};

let search: URLSearchParams;
let client: QueryClient;

beforeEach(() => {
  push.mockReset();
  answer.mockReset();
  answer.mockImplementation(() => page(['a', 'b']));
  updateConnection({ link: 'live', cluster: 'connected', observedAt: '2026-03-02T09:00:00Z', message: null });
  Element.prototype.scrollIntoView = () => {};
  stubResizeObserver();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(query = '') {
  search = new URLSearchParams(query);
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <NuqsTestingAdapter
      hasMemory
      searchParams={query}
      onUrlUpdate={({ searchParams }) => (search = searchParams)}
    >
      <QueryClientProvider client={client}>
        <ListPage list={pods} />
      </QueryClientProvider>
    </NuqsTestingAdapter>,
  );
  return userEvent.setup();
}

const filtersAsked = () => answer.mock.lastCall?.[0];

test('requests only filters that the address states, and ignores one of spaces', async () => {
  show('?q=%20cart%20&state=done&since=');
  await screen.findByRole('link', { name: 'a' });
  expect(filtersAsked()).toEqual({ q: 'cart', state: 'done' });
  cleanup();
  show('?q=%20%20');
  await screen.findByRole('link', { name: 'a' });
  expect(filtersAsked()).toEqual({});
  expect(screen.queryByRole('button', { name: 'Clear' })).toBeNull();
});

test('sets and resets a filter by its chip, and removes one that only a link set', async () => {
  const user = show('?actor=ann&since=3d');
  await user.click(await screen.findByRole('button', { name: 'Open' }));
  expect(search.toString()).toBe('actor=ann&since=3d&state=open');
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(search.toString()).toBe('actor=ann&since=3d');
  expect(screen.getByRole('button', { name: 'since 3d' })).toBeDefined();
  await user.click(screen.getByRole('button', { name: /^by ann/ }));
  expect(search.toString()).toBe('since=3d');
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  expect(search.toString()).toBe('');
});

test('never says that there is none while the answer is missing', async () => {
  answer.mockReturnValue(new Promise(() => {}));
  show();
  expect(screen.getByText('Loading the pods')).toBeDefined();
  expect(screen.queryByText('There is no pod')).toBeNull();
  cleanup();
  answer.mockRejectedValue(new AppError('timeout', 'The API server did not answer in time.'));
  show();
  expect(await screen.findByText('The API server did not answer in time.')).toBeDefined();
  expect(screen.queryByText('There is no pod')).toBeNull();
});

test('says that there is none of an empty answer, unless the cluster was never reached', async () => {
  answer.mockReturnValue(page([]));
  show();
  expect(await screen.findByText('There is no pod')).toBeDefined();
  cleanup();
  updateConnection({ cluster: 'unreachable', observedAt: null });
  show();
  await waitFor(() => expect(screen.queryByText('Loading the pods')).toBeNull());
  expect(screen.queryByText('There is no pod')).toBeNull();
});

test('offers to go on where a page is empty and another one follows', async () => {
  answer.mockImplementation((_, cursor) => (cursor === '' ? page([], 'next') : page(['old'])));
  const user = show();
  await user.click(await screen.findByRole('button', { name: 'Show older' }));
  expect(await screen.findByRole('link', { name: 'old' })).toBeDefined();
  expect(screen.queryByText('There is no pod')).toBeNull();
});

test('distinguishes none from none that matches, and offers to clear the filters', async () => {
  answer.mockImplementation((filters) => page(Object.keys(filters).length > 0 ? [] : ['a']));
  const user = show('?q=x');
  expect(await screen.findByText('No pods match')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(await screen.findByRole('link', { name: 'a' })).toBeDefined();
});

test('leaves the rows, and says so, when they cannot be refreshed', async () => {
  show();
  await screen.findByRole('link', { name: 'a' });
  answer.mockRejectedValue(new AppError('timeout', 'It took too long.'));
  await client.invalidateQueries();
  expect((await screen.findByRole('status')).textContent).toContain('It took too long.');
  expect(screen.getByRole('link', { name: 'a' })).toBeDefined();
});

test('names the parts that are missing', async () => {
  answer.mockReturnValue({
    ...page(['a']),
    partial: [{ resource: 'pods', reason: 'Listing answered 403.' }],
  });
  show();
  expect(await screen.findByText(/Listing answered 403/)).toBeDefined();
  expect(screen.getByText('Results are incomplete.')).toBeDefined();
});

test('moves the selection by keys, stays on its row when others arrive, and opens it', async () => {
  const user = show();
  await screen.findByRole('link', { name: 'a' });
  await user.keyboard('jj');
  expect(document.activeElement).toBe(screen.getByRole('link', { name: 'b' }));
  answer.mockReturnValue(page(['new', 'a', 'b']));
  await client.invalidateQueries();
  await screen.findByRole('link', { name: 'new' });
  (document.activeElement as HTMLElement).blur();
  await user.keyboard('{Enter}');
  expect(push).toHaveBeenCalledWith('/pods/b');
  await user.keyboard('k');
  expect(document.activeElement).toBe(screen.getByRole('link', { name: 'a' }));
});

test('loads more when a key moves beyond the last row', async () => {
  answer.mockImplementation((_, cursor) => (cursor === '' ? page(['a'], 'next') : page(['b'])));
  const user = show();
  await screen.findByRole('link', { name: 'a' });
  await user.keyboard('jj');
  expect(await screen.findByRole('link', { name: 'b' })).toBeDefined();
});

test('names the keys of a row by what they do', async () => {
  show();
  await screen.findByRole('link', { name: 'a' });
  const labels = listShortcuts().map(({ combo, label }) => `${combo}: ${label}`);
  expect(labels).toEqual([
    'j: Next pod',
    'k: Previous pod',
    'enter: Open',
    'f: Go to the filters',
    'escape: Clear filters',
    '/: Search the pods',
  ]);
});
