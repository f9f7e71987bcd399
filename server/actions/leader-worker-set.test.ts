import { beforeEach, describe, expect, test } from 'vitest';
import { partitionRequestSchema, podDeleteRequestSchema, rollbackRequestSchema } from '@/lib/api/actions';
import type { JsonObject } from '@/lib/kube/json';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import {
  groupRevision,
  type GroupScenario,
  groupTemplate,
  objectsOf,
} from '@/lib/workloads/testing/leader-worker-set';
import { NAMESPACE, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { archived, currentIncarnation, saveRevision } from '@/server/actions/testing/archived';
import { apiError, pathOf } from '@/server/actions/testing/fake-cluster';
import { ana, openShop } from '@/server/actions/testing/shop';
import type { Archive } from '@/server/archive/archive';
import { TestArchive } from '@/server/archive/testing/test-archive';

const ref = {
  resource: 'leaderworkersets.leaderworkerset.x-k8s.io',
  namespace: NAMESPACE,
  name: 'llama',
};
const path = `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${NAMESPACE}/leaderworkersets/llama`;

let shop: ReturnType<typeof openShop>;
let archive: Archive;

beforeEach(async () => {
  // Its Deployment has the uid that all workloads of the tests have, so it must have no sources.
  shop = openShop([]);
  archive = await TestArchive.open();
  shop.archive = archive;
  show();
});

function show(scene: GroupScenario = {}): void {
  for (const object of objectsOf(scene)) shop.cluster.put(object);
}

const seen = () => {
  const workload = shop.cluster.cache.workload(ref.resource, ref.namespace, ref.name);
  return shop.keys.preconditionToken('cluster', WORKLOAD_UID, workload?.bodyId ?? '');
};
const rollBack = (to: number | string, members: object = {}) =>
  shop.actions.rollback(ana, ref, rollbackRequestSchema.parse({ to, seen: seen(), ...members }));
const templateNow = () => shop.cluster.get(path).spec?.leaderWorkerTemplate;

describe('a rollback of a LeaderWorkerSet', () => {
  test('shows the difference, writes both members, and is followed until all groups are updated', async () => {
    const tried = await rollBack(1, { dryRun: true });
    expect(tried).toMatchObject({
      applied: false,
      diff: { summary: 'image 2 → 1' },
      dryRun: { accepted: true },
    });
    expect(templateNow()).toEqual(groupTemplate('2'));

    const answer = await rollBack(1);
    expect(templateNow()).toEqual(groupTemplate('1'));
    expect(JSON.parse(shop.writes()[0]?.body ?? '')).toMatchObject([
      { op: 'test', path: '/metadata/uid', value: WORKLOAD_UID },
      { op: 'test', path: '/spec/leaderWorkerTemplate', value: groupTemplate('2') },
      { op: 'add', path: '/spec/leaderWorkerTemplate', value: groupTemplate('1') },
      { op: 'test', path: '/spec/networkConfig' },
      { op: 'add', path: '/spec/networkConfig', value: { subdomainPolicy: 'Shared' } },
    ]);
    const id = answer.result?.actionId ?? '';
    const { generation = 0 } = shop.cluster.get(path).metadata;
    const revisions = [groupRevision(1, '1'), groupRevision(2, '2'), groupRevision(3, '1')];
    const scene: GroupScenario = { live: '1', generation, revisions, leaders: { key: 'k1' } };
    show({ ...scene, groups: ['k2', 'k2'] });
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'accepted' });
    const status = { observedGeneration: generation };
    show({ ...scene, status, groups: ['k2', 'k1'] });
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'following', recordedAs: 3 });
    show({ ...scene, status, groups: ['k1', 'k1'] });
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({
      state: 'done',
      recordedAs: 3,
      message: 'Complete: 4 of 4 pods ready on revision 3.',
    });
  });

  test('moves the partition in the same write on request', async () => {
    const answer = await rollBack(1, { partition: 1 });
    expect(answer.plan?.steps).toContain('The same request changes the partition from 0 to 1.');
    expect(templateNow()).toEqual(groupTemplate('1'));
    expect(shop.cluster.get(path).spec).toMatchObject({
      rolloutStrategy: { rollingUpdateConfiguration: { partition: 1 } },
    });
  });

  test('restores what only the archive has, by the id of the incarnation and the key', async () => {
    const body = recordedGroupTemplate(groupRevision(1, '1').data) ?? {};
    shop.cluster.remove(pathOf(groupRevision(1, '1')));
    const id = `${WORKLOAD_UID}.k1`;
    await saveRevision(
      archive,
      { ...currentIncarnation, ...ref, kind: 'LeaderWorkerSet' },
      archived(body, 1, { id, name: 'llama-k1-1' }),
      body,
    );
    const answer = await rollBack(id);
    expect(answer).toMatchObject({ applied: true, revision: { id, number: 1 } });
    expect(templateNow()).toEqual(groupTemplate('1'));
  });

  test('reads the object that has the revision now, and the other one when that is deleted', async () => {
    const revisions = [
      groupRevision(1, '1'),
      groupRevision(2, '2'),
      groupRevision(3, '1'),
      groupRevision(4, '2'),
    ];
    show({ revisions });
    const gone = pathOf(groupRevision(3, '1'));
    shop.cluster.onRequest = ({ path: asked, method }) => {
      if (method === 'GET' && asked === gone) throw notFound();
    };
    const answer = await rollBack(`${WORKLOAD_UID}.k1`);
    expect(answer.applied).toBe(true);
    expect(templateNow()).toEqual(groupTemplate('1'));
  });

  test('never overwrites a write in between', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method !== 'PATCH' || query?.dryRun !== undefined) return;
      const [workload] = objectsOf({ live: '9', generation: 2 }).slice(-1);
      if (workload !== undefined) shop.cluster.store(workload);
    };
    await expect(rollBack(1)).rejects.toMatchObject({ code: 'changed' });
    expect(templateNow()).toEqual(groupTemplate('9'));
  });
});

test('the partition moves in groups', async () => {
  const request = partitionRequestSchema.parse({ to: 2, seen: seen() });
  const answer = await shop.actions.partition(ana, ref, request);
  expect(answer.applied).toBe(true);
  const { rolloutStrategy } = shop.cluster.get(path).spec as { rolloutStrategy: JsonObject };
  expect(rolloutStrategy).toMatchObject({ rollingUpdateConfiguration: { partition: 2 } });
});

test('a group is restarted through its leader, and is done when all its pods are back', async () => {
  const request = (uid: string) => podDeleteRequestSchema.parse({ uid, seen: seen() });
  const worker = shop.actions.deletePod(ana, ref, 'llama-1-1', request('uid-pod-llama-1-1'));
  await expect(worker).rejects.toMatchObject({ code: 'refused' });
  const answer = await shop.actions.deletePod(ana, ref, 'llama-1', request('uid-pod-llama-1'));
  expect(answer.plan?.title).toBe('Restart group 1 of llama');
  await shop.cluster.settled();
  const id = answer.result?.actionId ?? '';
  expect(await shop.actions.get(ana, id)).toMatchObject({ state: 'following' });
  const anew = { key: 'k2', leader: { uid: 'uid-new' }, setOwner: 'uid-new' };
  show({ groups: ['k2', { ...anew, worker: { ready: false } }] });
  await shop.cluster.settled();
  expect(await shop.actions.get(ana, id)).toMatchObject({
    state: 'following',
    group: 1,
    message: 'Group 1 is being recreated on revision 2.',
  });
  show({ groups: ['k2', anew] });
  await shop.cluster.settled();
  expect(await shop.actions.get(ana, id)).toMatchObject({
    state: 'done',
    message: 'Group 1 was recreated and is ready on revision 2.',
  });
});

function notFound(): Error {
  return apiError(404, 'NotFound', 'controllerrevisions.apps not found');
}
