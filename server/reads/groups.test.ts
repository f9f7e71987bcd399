import { expect, test } from 'vitest';
import { groupsSchema } from '@/lib/api/groups';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { type GroupScenario, readGroupScenario } from '@/lib/workloads/testing/leader-worker-set';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { groupsItem } from '@/server/reads/groups';
import { allRights } from '@/server/views/view-rights';
import type { WorkloadView } from '@/server/views/workload-view';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');

function viewOf(scene: GroupScenario): WorkloadView {
  const { input, history, status } = readGroupScenario(scene);
  return { kind: leaderWorkerSet, ...input, history, status, rights: allRights };
}

test('shows groups with leader, revision and numbers, and the children that the controller manages', async () => {
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

test("shows no leaders to a viewer who can't list pods", async () => {
  const cluster = new FakeCluster();
  cluster.answerAccess = ({ resource }) => ({ allowed: resource !== 'pods' });
  const item = await groupsItem(cluster, ana, viewOf({}));
  expect(item?.items.map(({ leader }) => leader)).toEqual([null, null]);
});

test('shows the first of very many groups, and how many more there are', async () => {
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

test('a kind whose pods form no groups has none', async () => {
  const view = { ...viewOf({}), kind: statefulSet };
  expect(await groupsItem(new FakeCluster(), ana, view)).toBeUndefined();
});
