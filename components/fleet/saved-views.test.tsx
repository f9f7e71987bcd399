// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import userEvent from '@testing-library/user-event';
import { withNuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fleetParsers } from '@/components/fleet/fleet-address';
import { SavedViews } from '@/components/fleet/saved-views';
import { readStoredViews, storeViews } from '@/components/fleet/stored-views';
import { useListAddress } from '@/components/list/list-address';
import { type ClusterItem } from '@/lib/api/cluster';
import { sampleCluster, setClusters, threeClusters } from '@/test/clusters';

vi.mock('next/navigation', () => import('@/test/router'));

const others = ['at'] as const;

function Page() {
  const list = useListAddress(fleetParsers, others);
  return (
    <>
      <SavedViews list={list} />
      <output>{JSON.stringify(list.stated)}</output>
    </>
  );
}

function open(searchParams = '', clusters: readonly ClusterItem[] = [sampleCluster()]) {
  const client = new QueryClient();
  setClusters(client, clusters);
  const page = (
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>
  );
  render(page, { wrapper: withNuqsTestingAdapter({ searchParams, hasMemory: true }) });
}

const filters = () => JSON.parse(screen.getByRole('status').textContent) as unknown;

beforeEach(() => localStorage.clear());
afterEach(cleanup);

test('saves the filters of the address under a name, and deletes them again', async () => {
  open('?namespace=shop&severalLive=true');
  await userEvent.click(screen.getByRole('button', { name: 'Views' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Save this view…' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Name of the view' }), 'My team{Enter}');
  const saved = { name: 'My team', filters: { namespace: 'shop', severalLive: 'true' } };
  expect(readStoredViews()).toEqual({ views: [saved], initial: null });
  await userEvent.click(screen.getByRole('button', { name: 'View My team' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete this view' }));
  expect(readStoredViews().views).toEqual([]);
});

test('keeps the clusters of a view, which a view without any resets', async () => {
  storeViews({
    views: [
      { name: 'EU', filters: { group: 'look', cluster: 'prod-eu' } },
      { name: 'All', filters: { group: 'look' } },
    ],
    initial: null,
  });
  open('?group=look&cluster=prod-eu', threeClusters);
  await userEvent.click(screen.getByRole('button', { name: 'View EU' }));
  await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: /All/ }));
  expect(await screen.findByRole('button', { name: 'View All' })).toBeTruthy();
});

test('opens with the chosen view where the address has no filters, and not over filters of a link', async () => {
  storeViews({
    views: [{ name: 'My team', filters: { namespace: 'shop', group: 'look' } }],
    initial: 'My team',
  });
  open();
  await waitFor(() => expect(filters()).toEqual({ namespace: 'shop', group: 'look' }));
  expect(screen.getByRole('button', { name: 'View My team' })).toBeDefined();
  cleanup();
  open('?q=cart');
  await screen.findByRole('button', { name: 'Views' });
  expect(filters()).toEqual({ q: 'cart' });
});

test.each([
  'not JSON',
  '[]',
  '{"views":[{"name":5}],"initial":"x"}',
  '{"views":[{"name":"a","filters":null}]}',
])('ignores %s in the storage', (text) => {
  localStorage.setItem('shiplog.views', text);
  expect(readStoredViews()).toEqual({ views: [], initial: null });
});
