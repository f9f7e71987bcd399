// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { candidatesOf } from '@/components/shared/cluster-candidates';
import { ClusterChooser } from '@/components/shared/cluster-chooser';
import { AppError } from '@/lib/errors';
import { setClusters, threeClusters } from '@/test/clusters';
import { sampleItem } from '@/test/samples';
import { renderWith } from '@/test/render';

const navigation = vi.hoisted(() => ({ replace: vi.fn() }));
vi.mock('next/navigation', () => ({
  useRouter: () => navigation,
  usePathname: () => '/workloads/deployments.apps/shop/cart',
  useSearchParams: () => new URLSearchParams('rollback=default'),
}));

const candidates = [
  { cluster: 'prod-eu', title: 'Production EU', stage: 'production' },
  { cluster: 'staging', title: 'staging', stage: 'staging' },
];

beforeEach(() => navigation.replace.mockReset());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show() {
  const items = [
    sampleItem({ cluster: 'id-prod-eu', state: 'degraded' }),
    sampleItem({ cluster: 'id-staging', images: [{ container: 'app', image: 'shop/cart:2.0.0' }] }),
  ];
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items })));
  const client = new QueryClient();
  setClusters(client, threeClusters);
  renderWith(client, <ClusterChooser what="shop/cart" candidates={candidates} workload={sampleItem()} />);
  return userEvent.setup();
}

test('offers each cluster with what the workload is like there, and keeps the rest of the address', async () => {
  show();
  const link = await screen.findByRole('link', { name: /staging.*Complete.*2\.0\.0/ });
  expect(link.getAttribute('href')).toBe(
    '/workloads/deployments.apps/shop/cart?rollback=default&cluster=staging',
  );
  expect(screen.getByRole('link', { name: /Production EU.*Degraded/ })).toBeTruthy();
});

test('is operated by keys alone', async () => {
  const user = show();
  await user.keyboard('j');
  expect(document.activeElement?.textContent).toMatch(/Production EU/);
  await user.keyboard('j');
  expect(document.activeElement?.textContent).toMatch(/staging/);
  await user.keyboard('k');
  expect(document.activeElement?.textContent).toMatch(/Production EU/);
  await user.keyboard('2');
  expect(navigation.replace).toHaveBeenCalledWith(expect.stringContaining('cluster=staging'));
});

test('is for clusters alone, not for revisions that share a number', () => {
  expect(
    candidatesOf(new AppError('ambiguous', 'Two.', { candidates: [{ id: 'a', number: 3 }] })),
  ).toBeNull();
  expect(candidatesOf(new AppError('not_found', 'None.'))).toBeNull();
  expect(candidatesOf(new AppError('ambiguous', 'Two.', { candidates }))).toEqual(candidates);
});
