// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Clusters } from '@/components/clusters/clusters';
import { type ClusterItem, type ClusterList } from '@/lib/api/cluster';
import { sampleCluster, setClusters, threeClusters } from '@/test/clusters';
import { minutesAgo } from '@/test/samples';

beforeEach(() => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(items: readonly ClusterItem[], rest: Partial<ClusterList> = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  setClusters(client, items, rest);
  render(
    <QueryClientProvider client={client}>
      <Clusters />
    </QueryClientProvider>,
  );
}

test('lists each cluster with its state, and why one can’t be reached', () => {
  const [eu, us] = threeClusters;
  if (eu === undefined || us === undefined) expect.fail('no clusters');
  show([eu, { ...us, state: 'unreachable', message: 'No route to host.' }]);
  const [first, second] = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(first).toMatch(/Production EU.*prod-eu.*production.*Connected.*1000 objects.*Recording/);
  expect(second).toMatch(/Production US.*Unreachable.*No route to host\..*Last answer/);
});

test('names the clusters that get the token of the person', () => {
  const [eu, us] = threeClusters;
  if (eu === undefined || us === undefined) expect.fail('no clusters');
  show([
    { ...eu, credential: 'token' },
    { ...us, credential: 'impersonate' },
  ]);
  const [first, second] = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(first).toMatch(/Sent with your own token.*can use it at every cluster that accepts it/);
  expect(second).not.toMatch(/token/);
});

test('gives the rule that would mend a missing right', () => {
  const partial = [{ resource: 'deployments.apps', reason: 'shiplog may not list deployments.' }];
  show([sampleCluster({ partial })]);
  const missing = screen.getByText('shiplog may not list deployments.').closest('details');
  expect(within(missing ?? document.body).getByText(/resources: \["deployments"\]/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Copy the rule for a ClusterRole' })).toBeTruthy();
});

test('reports a configuration that is not in force, and leads to the history of removed clusters', () => {
  show([sampleCluster()], {
    problem: { reason: 'clusters.yaml:3: name is missing.', since: minutesAgo(5) },
    removed: [{ id: 'old', name: 'legacy', lastSeenAt: minutesAgo(900) }],
  });
  expect(screen.getByRole('status').textContent).toMatch(/not in force.*clusters\.yaml:3: name is missing\./);
  const link = screen.getByRole('link', { name: 'History of legacy' });
  expect(link.getAttribute('href')).toBe('/records?cluster=legacy');
});

test('lists fifty clusters', () => {
  show(Array.from({ length: 50 }, (_, index) => sampleCluster({ id: `id-${index}`, name: `edge-${index}` })));
  expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(50);
});
