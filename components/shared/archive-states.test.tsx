// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { EmptyArchiveState } from '@/components/shared/archive-states';
import { clustersQuery } from '@/components/queries/cluster';
import { renderWith } from '@/test/render';

afterEach(cleanup);

test('says on the empty page that a kind without read access is not recorded, and why', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(clustersQuery().queryKey, {
    items: [
      {
        name: 'prod',
        recorder: { state: 'recording' },
        resources: [
          { id: 'deployments.apps', kind: 'Deployment', plural: 'deployments' },
          { id: 'daemonsets.apps', kind: 'DaemonSet', plural: 'daemonsets' },
        ],
        partial: [
          { resource: 'deployments.apps', reason: 'ann may not list deployments.' },
          { resource: 'pods', reason: 'ann may not list pods.' },
        ],
      },
    ],
  } as never);
  renderWith(client, <EmptyArchiveState />);
  expect(screen.getByRole('status').textContent).toBe(
    'Rollouts of deployments are not being recorded. ann may not list deployments.',
  );
});
