import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WorkloadItem } from '@/lib/api/workloads';
import { fleetKey, fleetQuery, refreshRows } from '@/components/queries/workloads';
import { setClusters, threeClusters } from '@/test/clusters';
import { sampleItem } from '@/test/samples';

const keyOf = ({ cluster, resource, namespace, name }: WorkloadItem) => ({
  cluster,
  resource,
  namespace,
  name,
});

let client: QueryClient;
let items: WorkloadItem[];
let nextCursor: string | null;
let asked: URLSearchParams[];
let isDown: boolean;
let partial: { cluster: string; reason: string }[];

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  items = [sampleItem({ name: 'a' }), sampleItem({ name: 'b' }), sampleItem({ name: 'c' })];
  nextCursor = null;
  asked = [];
  isDown = false;
  partial = [];
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(answer(new URL(path, 'http://localhost'))));
});
afterEach(() => {
  client.clear();
  vi.unstubAllGlobals();
});

function answer({ searchParams }: URL): Response {
  asked.push(searchParams);
  if (isDown)
    return Response.json({ error: { code: 'internal', message: 'No.', details: {} } }, { status: 500 });
  const keys = searchParams.get('keys')?.split(',');
  const clusters = searchParams.get('cluster')?.split(',');
  const chosen = items.filter(
    ({ resource, namespace, name, cluster }) =>
      (keys?.includes(`${resource}/${namespace}/${name}`) ?? true) &&
      (clusters?.some((each) => cluster === `id-${each}`) ?? true),
  );
  return Response.json({
    items: chosen,
    nextCursor,
    namespaces: ['shop'],
    partial,
    observedAt: '2026-01-01T00:00:00Z',
    stale: false,
  });
}

/** The cached list, read once. */
async function show() {
  const observer = new InfiniteQueryObserver(client, fleetQuery());
  observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().isSuccess).toBe(true));
  asked = [];
  return () => observer.getCurrentResult().data?.pages.flatMap((page) => page.items) ?? [];
}

describe('after a change of some rows', () => {
  test('requests only those, shows changed, deleted and new rows, and reuses the other objects', async () => {
    const shown = await show();
    const [first] = shown();
    const changed = sampleItem({ name: 'b', message: 'moved on' });
    const added = sampleItem({ name: 'd' });
    items = [sampleItem({ name: 'a' }), changed, added];
    await refreshRows(client, [changed, added, sampleItem({ name: 'c' })].map(keyOf));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.get('keys')?.split(',')).toHaveLength(3);
    expect(shown().map(({ name, message }) => [name, message])).toEqual(
      items.map(({ name, message }) => [name, message]),
    );
    expect(shown()[0]).toBe(first);
  });

  test('requests the list again when it was incomplete, or when nearly everything changed', async () => {
    const shown = await show();
    const many = Array.from({ length: 51 }, (_, index) => keyOf(sampleItem({ name: `x-${index}` })));
    await refreshRows(client, many);
    expect(asked.map((query) => query.has('keys'))).toEqual([false]);
    nextCursor = 'more';
    await client.invalidateQueries({ queryKey: fleetKey });
    asked = [];
    await refreshRows(client, [keyOf(sampleItem({ name: 'a' }))]);
    expect(asked.some((query) => query.has('keys'))).toBe(false);
    expect(shown().length).toBeGreaterThanOrEqual(3);
  });

  test('shows the error of the list when the rows cannot be refreshed', async () => {
    await show();
    isDown = true;
    await refreshRows(client, [keyOf(sampleItem({ name: 'a' }))]);
    expect(client.getQueryState(fleetKey)?.error).toMatchObject({ message: 'No.' });
    expect(client.getQueryState(fleetKey)?.isInvalidated).toBe(true);
  });

  test('asks only the clusters of the rows, and keeps what is known of the others', async () => {
    setClusters(client, threeClusters);
    const inCluster = (name: string, message = '3 of 3 ready') =>
      sampleItem({ cluster: `id-${name}`, message });
    items = [inCluster('prod-eu'), inCluster('prod-us'), inCluster('staging')];
    partial = [
      { cluster: 'prod-us', reason: 'Away.' },
      { cluster: 'staging', reason: 'Away, too.' },
    ];
    await show();
    items = [inCluster('prod-eu', 'elsewhere'), inCluster('prod-us'), inCluster('staging', 'moved on')];
    partial = [];
    await refreshRows(client, [keyOf(inCluster('staging'))]);
    expect(asked.map((query) => query.get('cluster'))).toEqual(['staging']);
    const page = client.getQueryData(fleetQuery().queryKey)?.pages[0];
    expect(page?.items.map(({ cluster, message }) => [cluster, message])).toEqual([
      ['id-prod-eu', '3 of 3 ready'],
      ['id-prod-us', '3 of 3 ready'],
      ['id-staging', 'moved on'],
    ]);
    expect(page?.partial).toEqual([{ cluster: 'prod-us', reason: 'Away.' }]);
  });
});
