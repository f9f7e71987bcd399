import { beforeEach, describe, expect, test } from 'vitest';
import type { AppError } from '@/lib/errors';
import { controlRequestSchema, partitionRequestSchema, podDeleteRequestSchema } from '@/lib/api/actions';
import {
  controllerRevision,
  NAMESPACE,
  object,
  pod,
  template,
  WORKLOAD_UID,
} from '@/lib/workloads/testing/objects';
import { pathOf, unreachable } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, NOON, openShop, path, ref } from '@/server/actions/testing/shop';

let shop: ReturnType<typeof openShop>;

beforeEach(() => {
  shop = openShop();
});

const request = (members: object = {}) => controlRequestSchema.parse({ seen: shop.seen(), ...members });
const control = (action: 'pause' | 'resume' | 'restart', members: object = {}) =>
  shop.actions.control(ana, ref, action, request(members));

describe('a control', () => {
  test('pause sets only its member, and is done when the controller has observed it', async () => {
    const answer = await control('pause');
    expect(answer).toMatchObject({ applied: true, diff: null, revision: null });
    expect(shop.cluster.get(path).spec?.paused).toBe(true);
    const id = answer.result?.actionId ?? '';
    const written = shop.cluster.get(path);
    shop.cluster.put({ ...written, status: { ...written.status, observedGeneration: 4 } });
    await shop.cluster.settled();
    expect((await shop.actions.get(ana, id)).state).toBe('done');
  });

  test('restart shows its difference, which is a restart and nothing else', async () => {
    const answer = await control('restart', { dryRun: true });
    expect(answer.diff).toMatchObject({ restartOnly: true, equal: false });
    expect(shop.writes()).toEqual([]);
  });

  test('to a state that already holds is rejected', async () => {
    await expect(control('resume')).rejects.toMatchObject({ code: 'refused' });
    shop.cluster.put(deployment(template('3'), {}, { paused: true }));
    await expect(control('pause')).rejects.toMatchObject({ code: 'refused' });
    await expect(control('restart')).rejects.toMatchObject({ code: 'refused' });
    expect((await control('resume')).applied).toBe(true);
  });

  test('that the kind lacks is rejected with those that it has', async () => {
    const seen = { seen: shop.seen() };
    const move = shop.actions.partition(ana, ref, partitionRequestSchema.parse({ to: 0, ...seen }));
    await expect(move).rejects.toMatchObject({
      code: 'refused',
      details: { findings: [{ code: 'unsupported', action: 'It knows pause, resume and restart.' }] },
    });
  });

  test('without an answer is not taken for done after a change of scale, nor for lost too soon', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && query?.dryRun === undefined) throw unreachable();
    };
    const error = (await control('pause').catch((thrown: unknown) => thrown)) as AppError;
    expect(error.message).toContain('still may');
    const now = async (spec: object) => {
      shop.cluster.put(deployment(template('3'), { generation: 4 }, { replicas: 3, ...spec }));
      await shop.cluster.settled();
      return shop.actions.get(ana, String(error.details.actionId));
    };
    expect(await now({})).toMatchObject({ state: 'accepted', unanswered: true });
    expect(await now({ paused: true })).toMatchObject({ state: 'done' });
  });

  test('after a change that the viewer has not seen is rejected', async () => {
    const stale = request();
    shop.cluster.put(deployment(template('4'), { generation: 4 }));
    await expect(shop.actions.control(ana, ref, 'restart', stale)).rejects.toMatchObject({ code: 'changed' });
    expect(shop.patches()).toEqual([]);
  });
});

describe('a pod that blocks an ordered StatefulSet', () => {
  const set = { resource: 'statefulsets.apps', namespace: NAMESPACE, name: 'db' };
  const broken = () =>
    pod('db-1', {
      uid: 'uid-broken',
      labels: { 'controller-revision-hash': 'db-2' },
      waiting: 'ImagePullBackOff',
    });
  const healthy = (name: string, uid: string) =>
    pod(name, { uid, labels: { 'controller-revision-hash': 'db-1' } });

  beforeEach(() => {
    shop.cluster.put(controllerRevision(3, '1', { name: 'db-1' }));
    shop.cluster.put(controllerRevision(2, '2', { name: 'db-2' }));
    const status = { observedGeneration: 3, replicas: 2, readyReplicas: 1, updatedReplicas: 1 };
    shop.cluster.put(
      object(
        'StatefulSet',
        { name: 'db', uid: WORKLOAD_UID, owner: null, generation: 3 },
        {
          spec: { replicas: 2, updateStrategy: { type: 'RollingUpdate' }, template: template('1') },
          status: { ...status, currentRevision: 'db-1', updateRevision: 'db-1' },
        },
      ),
    );
    shop.cluster.put(healthy('db-0', 'uid-0'));
    shop.cluster.put(broken());
  });

  const seen = () => {
    const workload = shop.cluster.cache.workload(set.resource, NAMESPACE, 'db');
    return shop.keys.preconditionToken('cluster', WORKLOAD_UID, workload?.bodyId ?? '');
  };
  const remove = (uid: string, members: object = {}) =>
    shop.actions.deletePod(ana, set, 'db-1', podDeleteRequestSchema.parse({ uid, seen: seen(), ...members }));

  test('is deleted by its uid, as the viewer, and followed until its successor is ready', async () => {
    const tried = await remove('uid-broken', { dryRun: true });
    expect(tried).toMatchObject({
      applied: false,
      dryRun: { accepted: true },
      plan: { action: 'deletePod' },
    });
    expect(shop.cluster.get(pathOf(broken())).metadata.uid).toBe('uid-broken');
    const answer = await remove('uid-broken');
    const [sent] = shop.writes();
    expect(sent).toMatchObject({ method: 'DELETE', credential: { user: 'ana' } });
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'uid-broken' },
    });
    const id = answer.result?.actionId ?? '';
    await shop.cluster.settled();
    expect((await shop.actions.get(ana, id)).state).toBe('following');
    shop.cluster.put(healthy('db-1', 'uid-new'));
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id)).toMatchObject({
      state: 'done',
      message: 'db-1 was replaced; the new pod is ready on revision 3.',
    });
  });

  test('has no name for a viewer who can not list pods, in the plan and in the progress', async () => {
    const shown = (await remove('uid-broken', { dryRun: true })) as object;
    expect(JSON.stringify(shown)).toContain('db-1 ');
    const { result } = await remove('uid-broken');
    await shop.cluster.settled();
    shop.cluster.put(broken());
    shop.cluster.answerAccess = ({ resource, verb }) => ({
      allowed: resource !== 'pods' || verb === 'delete',
    });
    const { plan, findings } = await remove('uid-broken', { dryRun: true });
    expect(JSON.stringify([plan?.title, plan?.steps, plan?.stays, findings])).not.toContain('db-1 ');
    const { message } = await shop.actions.get(ana, result?.actionId ?? '');
    expect(message).toMatch(/is not shown: ana is not allowed to list pods in /);
    expect(message).not.toContain('db-1');
  });

  test('whose deletion got no answer fails only when that could not arrive any more', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'DELETE' && query?.dryRun === undefined) throw unreachable();
    };
    const error = (await remove('uid-broken').catch((thrown: unknown) => thrown)) as AppError;
    const now = async () => {
      shop.cluster.put(broken());
      await shop.cluster.settled();
      return shop.actions.get(ana, String(error.details.actionId));
    };
    expect((await now()).state).toBe('accepted');
    shop.cluster.connection = { ...shop.cluster.connection, observedAt: NOON + 91_000 };
    expect(await now()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('never arrived') as string,
    });
  });

  test('is left alone when another pod has its name', async () => {
    await expect(remove('uid-other')).rejects.toMatchObject({ code: 'refused' });
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'DELETE' && query?.dryRun === undefined) {
        shop.cluster.store({ ...broken(), metadata: { ...broken().metadata, uid: 'uid-new' } });
      }
    };
    await expect(remove('uid-broken')).rejects.toMatchObject({ code: 'changed' });
    expect(shop.cluster.get(pathOf(broken())).metadata.uid).toBe('uid-new');
    expect(shop.events()).toEqual(['refused', 'attempted', 'refused']);
  });

  test('is not deleted when it does not block', async () => {
    const deletion = shop.actions.deletePod(
      ana,
      set,
      'db-0',
      podDeleteRequestSchema.parse({ uid: 'uid-0', seen: seen() }),
    );
    await expect(deletion).rejects.toMatchObject({ code: 'refused' });
    expect(shop.writes()).toEqual([]);
  });

  test('a partition write changes nothing else', async () => {
    const move = await shop.actions.partition(
      ana,
      set,
      partitionRequestSchema.parse({ to: 1, seen: seen() }),
    );
    expect(move.applied).toBe(true);
    const { spec } = shop.cluster.get(`/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/db`);
    expect(spec).toMatchObject({
      updateStrategy: { rollingUpdate: { partition: 1 } },
      template: template('1'),
    });
  });
});
