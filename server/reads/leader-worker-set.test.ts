import { expect, test } from 'vitest';
import { workloadDetailSchema, workloadListQuerySchema, workloadListSchema } from '@/lib/api/workloads';
import type { JsonObject } from '@/lib/kube/json';
import { WORKER_INDEX } from '@/lib/workloads/leader-worker-set/metadata';
import {
  groupRevision,
  type GroupScenario,
  groupTemplate,
  objectsOf,
} from '@/lib/workloads/testing/leader-worker-set';
import { at, NAMESPACE, object } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { Keys } from '@/server/shared/keys';
import type { ReadContext } from '@/server/views/context';
import { workloadDetail } from '@/server/reads/workload-detail';
import { diffRevisions } from '@/server/reads/diff';
import { findWorkload } from '@/server/views/find-workload';
import { listWorkloads } from '@/server/reads/list-workloads';
import { workloadEvents, workloadPods } from '@/server/reads/pods';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { ViewCache } from '@/server/views/workload-view';
import { parseAnswer } from '@/test/parse-answer';
import { oneCluster, onlyCluster } from '@/server/reads/testing/one-cluster';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ref = {
  resource: 'leaderworkersets.leaderworkerset.x-k8s.io',
  namespace: NAMESPACE,
  name: 'llama',
};
const ana = viewerNamed('ana');

function open(scene: GroupScenario): ReadContext {
  const cluster = new FakeCluster();
  for (const object of objectsOf(scene)) cluster.put(object);
  const keys = new Keys(Buffer.alloc(32));
  const now = () => Date.parse(at(60));
  return {
    cluster,
    keys,
    views: new ViewCache(cluster, keys.mask, now),
    summaries: new ChangeSummaries(keys.mask),
    config: { links: [] },
    now,
  };
}

const returned: GroupScenario = {
  live: '1',
  revisions: [groupRevision(1, '1'), groupRevision(2, '2'), groupRevision(3, '1')],
  leaders: { key: 'k1' },
  groups: ['k2', 'k1'],
};

test('it is one row of the list, its StatefulSets are none', async () => {
  const list = await listWorkloads(oneCluster(open(returned), ana), workloadListQuerySchema.parse({}));
  expect(parseAnswer(workloadListSchema, list).items).toMatchObject([
    {
      kind: 'LeaderWorkerSet',
      state: 'rolling',
      message: '1 of 2 groups updated',
      targetRevision: 3,
      pods: {
        desired: 4,
        ready: 4,
        byRevision: [
          { revision: 3, pods: 2 },
          { revision: 2, pods: 2 },
        ],
      },
    },
  ]);
});

test('its page has revisions by key, groups, and possible actions', async () => {
  const context = open(returned);
  const detail = await workloadDetail(context, ana, await findWorkload(context, ana, ref));
  const { workload, revisions } = parseAnswer(workloadDetailSchema, detail);
  expect(revisions).toMatchObject([
    { number: 3, alsoNumbers: [1], target: true, summary: 'image 2 → 1', retained: true },
    { number: 2, target: false, prunedNext: true },
  ]);
  expect(revisions[0]?.id).toMatch(/\.k1$/);
  expect(workload).toMatchObject({
    replicas: 2,
    partition: 0,
    partitionKeeps: 'ordinals',
    partitionOf: { noun: 'group', total: 2 },
    strategy: 'RollingUpdate, unavailable 1',
    defaultTarget: { number: 2, why: 'still serves with 2 ready pods' },
    controls: [{ action: 'rollback' }, { action: 'partition' }, { action: 'deletePod' }],
    groups: { desired: 2, updated: 1, items: [{ revision: 2 }, { revision: 3 }] },
  });
  const pods = await workloadPods(context, ana, ref);
  expect(pods.items.map(({ name, revision }) => [name, revision])).toEqual([
    ['llama-0', 2],
    ['llama-0-1', 2],
    ['llama-1', 3],
    ['llama-1-1', 3],
  ]);
});

test('offers no rollback of one that has a generator, and names what to roll back instead', async () => {
  const owner = {
    apiVersion: 'disaggregatedset.x-k8s.io/v1',
    kind: 'DisaggregatedSet',
    name: 'dis',
    uid: 'uid-dis',
    controller: true,
  };
  const rollbackOf = async (scene: GroupScenario) => {
    const context = open(scene);
    const { workload } = await workloadDetail(context, ana, await findWorkload(context, ana, ref));
    return workload.controls.find(({ action }) => action === 'rollback');
  };
  expect(await rollbackOf({ ...returned, owner })).toEqual({
    action: 'rollback',
    enabled: false,
    reason:
      'DisaggregatedSet dis controls this LeaderWorkerSet and reverts changes of its template. Roll back DisaggregatedSet dis instead.',
  });
  expect(await rollbackOf(returned)).toMatchObject({ enabled: true, reason: null });
});

test('lists the events of its StatefulSets among its events', async () => {
  const context = open({});
  const { cache } = context.cluster as FakeCluster;
  cache.addEvent({
    uid: 'uid-event',
    namespace: NAMESPACE,
    type: 'Warning',
    reason: 'FailedCreate',
    message: 'create Pod llama-1-1 failed: exceeded quota',
    count: 3,
    first: at(50),
    last: at(55),
    object: { kind: 'StatefulSet', name: 'llama-1', uid: 'uid-sts-Worker-llama-1' },
  });
  const { items } = await workloadEvents(context, ana, ref);
  expect(items.map(({ object, reason }) => [object.name, reason])).toEqual([['llama-1', 'FailedCreate']]);
});

test('every revision of the namespace belongs to exactly one workload', async () => {
  const context = open({});
  const own = { spec: { template: { spec: {} } } };
  for (const [name, owner] of [
    ['llama-5d', 'uid-sts-Leader-llama'],
    ['llama-0-7f', 'uid-sts-Worker-llama-0'],
  ] as const)
    (context.cluster as FakeCluster).put(
      object('ControllerRevision', { name, owner }, { revision: 1, data: own }),
    );
  const { workload, revisions } = await workloadDetail(context, ana, await findWorkload(context, ana, ref));
  const nested = workload.groups?.parts.flatMap((part) => part.revisions.map(({ name }) => name)) ?? [];
  const all = [...revisions.map(({ name }) => name), ...nested];
  expect(all.sort()).toEqual(['llama-0-7f', 'llama-5d', 'llama-k1-1', 'llama-k2-2']);
});

test("groups reveal no revisions to a viewer who can't read them", async () => {
  const context = open(returned);
  (context.cluster as FakeCluster).answerAccess = ({ resource }) => ({
    allowed: resource !== 'controllerrevisions',
  });
  const { workload, revisions } = await workloadDetail(context, ana, await findWorkload(context, ana, ref));
  expect(revisions).toEqual([]);
  expect(workload.groups?.items.map(({ revisionId }) => revisionId)).toEqual([null, null]);
});

test('compares its revisions, and a pod with the template of its own kind of pods', async () => {
  const leader = { spec: { containers: [{ name: 'head', image: 'head:1' }] } };
  const context = open({
    live: groupTemplate('2', { leaderTemplate: leader }),
    revisions: [
      groupRevision(1, '1'),
      groupRevision(2, '2', { template: groupTemplate('2', { leaderTemplate: leader }) }),
    ],
  });
  const between = await diffRevisions(context, ana, ref, { from: '1', to: 'live', yaml: true }, onlyCluster);
  expect(between.changes.map(({ label }) => label)).toEqual(['image', 'leader template']);
  expect(between.yaml?.after).toContain('leaderWorkerTemplate:');

  const { cluster } = context;
  for (const object of objectsOf({ groups: ['k2', 'k2'] })) {
    if (object.kind !== 'Pod') continue;
    const isLeader = object.metadata.labels?.[WORKER_INDEX] === '0';
    const container: JsonObject = isLeader
      ? { name: 'head', image: 'head:1' }
      : { name: 'vllm', image: 'vllm:other' };
    (cluster as FakeCluster).put({ ...object, spec: { containers: [container] } });
  }
  const changesOf = async (pod: string) => {
    const { changes } = await diffRevisions(
      context,
      ana,
      ref,
      {
        from: 'live',
        to: `pod:${pod}`,
        yaml: false,
      },
      onlyCluster,
    );
    return changes
      .filter(({ concern }) => concern === 'image')
      .map(({ path, afterText }) => [path, afterText]);
  };
  expect(await changesOf('llama-0')).toEqual([]);
  expect(await changesOf('llama-0-1')).toEqual([['spec.containers[vllm].image', 'vllm:other']]);
});
