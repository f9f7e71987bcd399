import { expect, test } from 'vitest';
import { workloadListQuerySchema } from '@/lib/api/workloads';
import { object, template } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { Keys } from '@/server/shared/keys';
import type { ReadContext } from '@/server/views/context';
import { listWorkloads } from '@/server/reads/list-workloads';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { ViewCache } from '@/server/views/workload-view';
import { oneCluster } from '@/server/reads/testing/one-cluster';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');

/** Deployments whose image path says "checkout", of any name. */
function open(...names: string[]): ReadContext {
  const cluster = new FakeCluster();
  for (const name of names)
    cluster.put(
      object('Deployment', { name, owner: null }, { spec: { replicas: 1, template: template('1') } }),
    );
  const keys = new Keys(Buffer.alloc(32));
  return {
    cluster,
    keys,
    views: new ViewCache(cluster, keys.mask, Date.now),
    summaries: new ChangeSummaries(keys.mask),
    config: { links: [] },
    now: Date.now,
  };
}

test('a workload of the name comes before those whose image mentions it, on the first page too', async () => {
  const context = open('account', 'basket', 'checkout', 'checkout-worker', 'pre-checkout');
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const query = workloadListQuerySchema.parse({ q: 'Checkout', limit: 2, ...(cursor && { cursor }) });
    const { items, nextCursor } = await listWorkloads(oneCluster(context, ana), query);
    found.push(...items.map(({ name }) => name));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(found).toEqual(['checkout', 'checkout-worker', 'pre-checkout', 'account', 'basket']);
});

test('a paused workload has its action in the list, unless the viewer can not write it', async () => {
  const context = open('cart');
  const cluster = context.cluster as FakeCluster;
  const spec = { replicas: 1, paused: true, template: template('1') };
  cluster.put(
    object('Deployment', { name: 'cart', owner: null }, { spec, status: { observedGeneration: 1 } }),
  );
  const list = () => listWorkloads(oneCluster(context, ana), workloadListQuerySchema.parse({}));
  expect((await list()).items[0]?.dueAction).toEqual({ action: 'resume', label: 'Resume', rollout: null });
  cluster.answerAccess = ({ verb }) => ({ allowed: verb !== 'patch' });
  expect((await list()).items[0]).not.toHaveProperty('dueAction');
  cluster.answerAccess = () => ({ allowed: true });
  const readOnly = { ...context, config: { ...context.config, readOnly: true } };
  const { items } = await listWorkloads(oneCluster(readOnly, ana), workloadListQuerySchema.parse({}));
  expect(items[0]).not.toHaveProperty('dueAction');
});
