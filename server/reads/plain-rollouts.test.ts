import { expect, test } from 'vitest';
import type { RolloutState } from '@/lib/api/rollout-values';
import type { WorkloadState } from '@/lib/api/workload-values';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { ReadContext } from '@/server/views/context';
import { withPlainRollout } from '@/server/reads/list-workloads';
import { sampleItem } from '@/test/samples';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');

/** A cluster in which an OpenKruise Rollout, in the given state, moves Deployment cart. */
function contextOf(state: RolloutState): { context: ReadContext; cluster: FakeCluster } {
  const cluster = new FakeCluster();
  const metadata = {
    name: 'cart-ro',
    namespace: 'shop',
    uid: 'u',
    creationTimestamp: '2026-09-17T12:00:00Z',
  };
  cluster.put({
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { ...metadata, resourceVersion: '1' },
    spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } },
  });
  const rollouts = { view: () => ({ rollout: { state } }) };
  return { cluster, context: { cluster, rollouts } as unknown as ReadContext };
}

async function plainOf(context: ReadContext, items: readonly ReturnType<typeof sampleItem>[]) {
  const rows = await withPlainRollout(context, ana, items.map((item) => ({ item })) as never);
  return rows.map(({ item }) => item.name);
}

test('a workload whose progressive rollout is in progress is not among the plain rollouts', async () => {
  const items = [sampleItem({ name: 'cart', state: 'held' }), sampleItem({ name: 'web', state: 'rolling' })];
  expect(await plainOf(contextOf('waiting').context, items)).toEqual(['web']);
  expect(await plainOf(contextOf('completed').context, items)).toEqual(['cart', 'web']);
});

test('a progressive rollout that the viewer can’t list does not hide its workload', async () => {
  const { cluster, context } = contextOf('waiting');
  cluster.answerAccess = () => ({ allowed: false });
  expect(await plainOf(context, [sampleItem({ name: 'cart', state: 'held' })])).toEqual(['cart']);
});

test('a workload that is paused or degraded after its rollout has none in progress', async () => {
  const { lastRollout } = sampleItem();
  const record = { id: 'r', startedAt: null, endedAt: null, actor: null, cause: null };
  const item = (name: string, state: WorkloadState, outcome: 'completed' | null) =>
    sampleItem({
      name,
      state,
      lastRollout: lastRollout && { ...lastRollout, record: { ...record, outcome } },
    });
  const items = [item('a', 'paused', 'completed'), item('b', 'paused', null), item('c', 'degraded', null)];
  expect(await plainOf(contextOf('idle').context, items)).toEqual(['b']);
});
