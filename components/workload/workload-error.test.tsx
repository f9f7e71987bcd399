// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { WorkloadError } from '@/components/workload/workload-error';
import { AppError } from '@/lib/errors';
import { clustersQuery } from '@/components/queries/cluster';
import { renderWith } from '@/test/render';

afterEach(cleanup);

function show(resource: string) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const resources = [{ id: 'deployments.apps', kind: 'Deployment', plural: 'deployments' }];
  client.setQueryData(clustersQuery().queryKey, { items: [{ resources }] } as never);
  renderWith(
    client,
    <WorkloadError
      workload={{ cluster: undefined, resource, namespace: 'shop', name: 'cart' }}
      error={new AppError('not_found', 'Supported: deployments.apps.', { name: 'cart' })}
      onRetry={() => undefined}
    />,
  );
}

test('explains an unknown kind in a sentence without a list of resources, with a search', () => {
  show('foos');
  expect(screen.getByText(/^This cluster has no workload kind “foos”/)).toBeTruthy();
  expect(screen.queryByText(/Supported/)).toBeNull();
  expect(screen.getByRole('link', { name: 'Search workloads' }).getAttribute('href')).toBe('/?q=cart');
});

test('shows the reason of the answer for a known kind', () => {
  show('deployments.apps');
  expect(screen.getByText('Supported: deployments.apps.')).toBeTruthy();
});
