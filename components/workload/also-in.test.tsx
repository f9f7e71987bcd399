// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { AlsoIn } from '@/components/workload/also-in';
import type { WorkloadItem } from '@/lib/api/workloads';
import { setClusters, threeClusters } from '@/test/clusters';
import { sampleItem } from '@/test/samples';
import { renderWith } from '@/test/render';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const inCluster = (name: string, version: string) =>
  sampleItem({ cluster: `id-${name}`, images: [{ container: 'app', image: `shop/cart:${version}` }] });

function show(items: readonly WorkloadItem[]) {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items })));
  const client = new QueryClient();
  setClusters(client, threeClusters);
  renderWith(client, <AlsoIn workload={inCluster('prod-eu', '2.4.0')} />);
}

test('leads to the same workload of other clusters, and to the comparison where the image differs', async () => {
  show([inCluster('prod-eu', '2.4.0'), inCluster('prod-us', '2.4.0'), inCluster('staging', '2.4.1')]);
  const path = '/workloads/deployments.apps/shop/cart';
  const link = await screen.findByRole('link', { name: 'staging' });
  expect(link.getAttribute('href')).toBe(`${path}?cluster=staging`);
  expect(screen.getAllByRole('link').map((each) => [each.textContent, each.getAttribute('href')])).toEqual([
    ['prod-us', `${path}?cluster=prod-us`],
    ['staging', `${path}?cluster=staging`],
    ['Compare with staging', `${path}/compare?from=staging%3Alive&to=live&cluster=prod-eu`],
  ]);
});

test('is not there where no other cluster has the workload', async () => {
  show([inCluster('prod-eu', '2.4.0')]);
  await vi.waitFor(() => expect(screen.queryByText(/Also in/)).toBeNull());
});
