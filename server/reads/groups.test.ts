import { expect, test } from 'vitest';
import { groupsSchema } from '@/lib/api/workloads';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { type GroupScene, seeGroups } from '@/lib/workloads/testing/leader-worker-set';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { groupsItem } from '@/server/reads/groups';
import { type WorkloadView } from '@/server/reads/view';

const ana = { id: 'ana', name: 'ana', isProcess: false };

function viewOf(scene: GroupScene): WorkloadView {
  const { input, history, status } = seeGroups(scene);
  return { kind: leaderWorkerSet, ...input, history, status };
}

test('groups are told with leader, revision and numbers, and what nobody may write', async () => {
  const item = await groupsItem(new FakeCluster(), ana, viewOf({ groups: ['k1', 'k2'] }));
  expect(groupsSchema.parse(item)).toEqual(item);
  expect(item).toMatchObject({
    desired: 2,
    wanted: 2,
    updated: 1,
    ready: 2,
    pods: 4,
    more: 0,
    items: [
      {
        index: 0,
        revision: 1,
        revisionId: 'uid-workload.k1',
        leader: { uid: 'uid-pod-llama-0', name: 'llama-0' },
        pods: { total: 2, ready: 2 },
      },
      { index: 1, revision: 2 },
    ],
    parts: [{ name: 'llama' }, { name: 'llama-0', group: 0 }, { name: 'llama-1', group: 1 }],
  });
});

test('who may not list pods is told no leaders', async () => {
  const cluster = new FakeCluster();
  cluster.answerAccess = ({ resource }) => ({ allowed: resource !== 'pods' });
  const item = await groupsItem(cluster, ana, viewOf({}));
  expect(item?.items.map(({ leader }) => leader)).toEqual([null, null]);
});

test('of very many the first are told, and how many more there are', async () => {
  const groups = Array.from({ length: 2_100 }, () => 'k2');
  const item = await groupsItem(
    new FakeCluster(),
    ana,
    viewOf({ groups, spec: { replicas: groups.length } }),
  );
  expect(item).toMatchObject({ more: 100, updated: 2_100 });
  expect(item?.items).toHaveLength(2_000);
  expect(item?.parts).toHaveLength(50);
});

test('a kind whose pods are each for themselves has none', async () => {
  const view = { ...viewOf({}), kind: statefulSet };
  expect(await groupsItem(new FakeCluster(), ana, view)).toBeUndefined();
});
