import type { QueryClient } from '@tanstack/react-query';
import { onTestFinished } from 'vitest';

import { clustersQuery, rememberClusters } from '@/components/queries/cluster';

import type { ClusterItem, ClusterList } from '@/lib/api/cluster';
import { minutesAgo } from '@/test/samples';

/** The cluster of all samples, connected. */
export function sampleCluster(overrides: Partial<ClusterItem> = {}): ClusterItem {
  return {
    id: 'test',
    name: 'test',
    title: overrides.name ?? 'test',
    stage: null,
    credential: 'process',
    server: 'https://test.example:6443',
    version: '1.36.3',
    viewer: { id: 'viewer', name: 'maja.lind' },
    readOnly: false,
    sandbox: false,
    recording: true,
    controllers: [],
    namespaces: null,
    state: 'connected',
    since: minutesAgo(60),
    message: null,
    observedAt: minutesAgo(0),
    ready: true,
    partial: [],
    resources: [{ id: 'deployments.apps', kind: 'Deployment', plural: 'Deployments' }],
    objects: 1_000,
    templateBytes: 400_000,
    recorder: { state: 'recording', since: minutesAgo(60), reason: null },
    moved: null,
    refusal: null,
    acceptDenied: null,
    ...overrides,
  };
}

/** Two of production and one of staging; ids are `id-{name}`. */
export const threeClusters: readonly ClusterItem[] = [
  sampleCluster({ id: 'id-prod-eu', name: 'prod-eu', title: 'Production EU', stage: 'production' }),
  sampleCluster({ id: 'id-prod-us', name: 'prod-us', title: 'Production US', stage: 'production' }),
  sampleCluster({ id: 'id-staging', name: 'staging', stage: 'staging' }),
];

/** What the shell of a page has loaded, until the end of the test. */
export function setClusters(
  client: QueryClient,
  items: readonly ClusterItem[],
  rest: Partial<ClusterList> = {},
): void {
  const list = {
    items,
    removed: [],
    problem: null,
    sandbox: false,
    readOnly: false,
    recording: true,
    ...rest,
  };
  client.setQueryData(clustersQuery().queryKey, rememberClusters(list));
  // Modules are loaded once for all files.
  onTestFinished(() => void rememberClusters({ ...list, items: [] }));
}
