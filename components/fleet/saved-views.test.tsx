// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import userEvent from '@testing-library/user-event';
import { withNuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fleetParsers } from '@/components/fleet/fleet-address';
import { SavedViews } from '@/components/fleet/saved-views';
import { useListAddress } from '@/components/list/list-address';
import type { ClusterItem } from '@/lib/api/cluster';
import { noPreferences } from '@/lib/api/preference-values';
import type { Preferences } from '@/lib/api/preferences';
import { sampleCluster, setClusters, threeClusters } from '@/test/clusters';
import { keepPreferences } from '@/test/preferences';

vi.mock('next/navigation', () => import('@/test/router'));

const others = ['at'] as const;
let kept: ReturnType<typeof keepPreferences>;

function Page() {
  const list = useListAddress(fleetParsers, others);
  return (
    <>
      <SavedViews list={list} />
      <output>{JSON.stringify(list.stated)}</output>
    </>
  );
}

function open(
  searchParams = '',
  preferences: Partial<Preferences> = {},
  clusters: readonly ClusterItem[] = [sampleCluster()],
) {
  const client = new QueryClient();
  setClusters(client, clusters);
  kept = keepPreferences(client, { ...noPreferences, ...preferences });
  const page = (
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>
  );
  render(page, { wrapper: withNuqsTestingAdapter({ searchParams, hasMemory: true }) });
}

const filters = () => JSON.parse(screen.getByRole('status').textContent) as unknown;

async function saveAs(name: string) {
  await userEvent.click(screen.getByRole('button', { name: 'Views' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Save this view…' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Name of the view' }), `${name}{Enter}`);
}

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('saves the filters of the address under a name, and deletes them again', async () => {
  open('?namespace=shop&severalLive=true');
  await saveAs('My team');
  const saved = { name: 'My team', filters: { namespace: 'shop', severalLive: 'true' } };
  await waitFor(() => expect(kept.preferences).toMatchObject({ views: [saved], initial: null, version: 1 }));
  await userEvent.click(screen.getByRole('button', { name: 'View My team' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete this view' }));
  await waitFor(() => expect(kept.preferences.views).toEqual([]));
});

test('keeps what another browser has saved meanwhile', async () => {
  open('?namespace=shop');
  const other = { name: 'Other', filters: { group: 'look' } };
  kept.preferences = { ...noPreferences, views: [other], version: 4 };
  await saveAs('My team');
  await waitFor(() => expect(kept.preferences.version).toBe(5));
  expect(kept.preferences.views.map(({ name }) => name)).toEqual(['Other', 'My team']);
});

test('shows what is kept where saving fails, and says so', async () => {
  open('?namespace=shop');
  kept.isAway = true;
  await saveAs('My team');
  expect(await screen.findByRole('button', { name: 'Views' })).toBeTruthy();
  expect(kept.preferences.views).toEqual([]);
});

test('keeps the clusters of a view, which a view without any resets', async () => {
  const views: Preferences['views'] = [
    { name: 'EU', filters: { group: 'look', cluster: 'prod-eu' } },
    { name: 'All', filters: { group: 'look' } },
  ];
  open('?group=look&cluster=prod-eu', { views, version: 1 }, threeClusters);
  await userEvent.click(screen.getByRole('button', { name: 'View EU' }));
  await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: /All/ }));
  expect(await screen.findByRole('button', { name: 'View All' })).toBeTruthy();
});

test('opens with the chosen view where the address has no filters, and not over filters of a link', async () => {
  const chosen = {
    views: [{ name: 'My team', filters: { namespace: 'shop', group: 'look' } }],
    initial: 'My team',
    version: 1,
  };
  open('', chosen);
  await waitFor(() => expect(filters()).toEqual({ namespace: 'shop', group: 'look' }));
  expect(screen.getByRole('button', { name: 'View My team' })).toBeDefined();
  cleanup();
  open('?q=cart', chosen);
  await screen.findByRole('button', { name: 'Views' });
  expect(filters()).toEqual({ q: 'cart' });
});

test('moves the views that a browser has from earlier versions to its viewer, once', async () => {
  const views = [{ name: 'My team', filters: { namespace: 'shop' } }];
  localStorage.setItem('shiplog.views', JSON.stringify({ views, initial: 'My team' }));
  open();
  await waitFor(() => expect(kept.preferences).toMatchObject({ views, initial: 'My team', version: 1 }));
  await waitFor(() => expect(localStorage.getItem('shiplog.views')).toBeNull());
});

test.each(['not JSON', '[]', '{"views":5}'])('discards %s in the storage', async (text) => {
  localStorage.setItem('shiplog.views', text);
  open();
  await waitFor(() => expect(localStorage.getItem('shiplog.views')).toBeNull());
  expect(kept.preferences).toEqual(noPreferences);
});
