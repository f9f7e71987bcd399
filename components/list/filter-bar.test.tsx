// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import userEvent from '@testing-library/user-event';
import { parseAsString } from 'nuqs';
import { withNuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { FilterBar } from '@/components/list/filter-bar';
import { useListAddress } from '@/components/list/list-address';
import { noPreferences } from '@/lib/api/preference-values';
import { keepPreferences } from '@/test/preferences';

const address = { namespace: parseAsString };
const options = ['edge', 'payments', 'shop'].map((value) => ({ value, label: value }));
const filters = { menus: [{ name: 'namespace', label: 'Namespace', first: 'namespaces', options }] } as const;

function Bar() {
  return <FilterBar filters={filters} list={useListAddress(address)} facts={undefined} />;
}

function open(searchParams: string, namespaces: readonly string[]) {
  const client = new QueryClient();
  const kept = keepPreferences(client, { ...noPreferences, first: { namespaces, clusters: [] } });
  const page = (
    <QueryClientProvider client={client}>
      <Bar />
    </QueryClientProvider>
  );
  render(page, { wrapper: withNuqsTestingAdapter({ searchParams, hasMemory: true }) });
  return kept;
}

const openMenu = () => userEvent.click(screen.getByRole('button', { name: /^Namespace/ }));
const entries = () =>
  [...screen.getByRole('menu').querySelectorAll('[role=menuitemcheckbox], [role=separator]')].map(
    // A long label is there twice, once for the eye.
    (each) => (each.querySelector('.sr-only') ?? each).textContent || '—',
  );

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('lists the options that the viewer wants first above the others', async () => {
  open('', ['shop', 'gone']);
  await openMenu();
  await screen.findByRole('menu');
  expect(entries()).toEqual(['Any', '—', 'shop', '—', 'edge', 'payments']);
});

test('lists the chosen option first from now on, and no longer', async () => {
  const kept = open('?namespace=shop', []);
  await openMenu();
  await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'List shop first' }));
  await waitFor(() => expect(kept.preferences.first.namespaces).toEqual(['shop']));
  expect(entries()).toEqual(['Any', '—', 'shop', '—', 'edge', 'payments', '—', 'List shop first']);
  await userEvent.click(screen.getByRole('menuitemcheckbox', { name: 'List shop first' }));
  await waitFor(() => expect(kept.preferences.first.namespaces).toEqual([]));
});
