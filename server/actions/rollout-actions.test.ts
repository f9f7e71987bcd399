import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import {
  line,
  rolloutObject,
  type RolloutParts,
  statusOf,
  web,
} from '@/lib/rollout/openkruise/testing/objects';
import type { RolloutActionName } from '@/lib/api/action-values';
import { deployment as deploymentKind } from '@/lib/workloads/kinds/deployment';
import { template } from '@/lib/workloads/testing/objects';
import { deriveCurrentView } from '@/server/actions/current-rollout';
import { apiError, unreachable } from '@/server/actions/testing/fake-cluster';
import {
  ana,
  deployment,
  NOON,
  openShop,
  path as workloadPath,
  replicaSetOf,
  ref as workload,
} from '@/server/actions/testing/shop';
import { rolloutPreconditionToken } from '@/server/views/precondition-token';

const resource = 'rollouts.rollouts.kruise.io';
const ref = { resource, namespace: 'shop', name: 'checkout-ro' };
const path = '/apis/rollouts.kruise.io/v1beta1/namespaces/shop/rollouts/checkout-ro';
const steps = [1, '50%', 2].map((replicas): JsonObject => ({ replicas, pause: {} }));
type Changes = Parameters<typeof line>[0];

let shop: ReturnType<typeof openShop>;
let version: number;

/** A progressive rollout from revision 2 to revision 3 of the Deployment of the shop. */
function rollout(changes: Changes = {}, parts: RolloutParts = {}): KubeObject {
  version += 1;
  const status = statusOf(line({ stable: '2', hash: '3', ...changes }));
  const metadata = { resourceVersion: String(version), ...parts.metadata };
  return rolloutObject({ workload: web, steps, ...parts, metadata, status });
}

const put = async (...args: Parameters<typeof rollout>) => {
  shop.cluster.put(rollout(...args));
  await shop.cluster.settled();
};

beforeEach(() => {
  version = 10;
  shop = openShop();
  shop.cluster.states.push({ resource, synced: true, problem: null });
  shop.cluster.put(rollout());
});

function seen(): string {
  const { cluster, keys } = shop;
  const object = cluster.rollouts.rollout(resource, 'shop', 'checkout-ro');
  if (object === undefined) throw new Error('no rollout');
  return rolloutPreconditionToken(cluster, keys, deriveCurrentView({ cluster, now: () => NOON }, object));
}

const act = (action: RolloutActionName, more: { step?: number; dryRun?: boolean; seen?: string } = {}) =>
  shop.actions.rollout(ana, ref, action, { seen: seen(), reason: 'fine', dryRun: false, ...more });

/** The state of the action after this write of the controllers. */
async function after(id: string | undefined, ...args: Parameters<typeof rollout>) {
  await put(...args);
  const { state, message } = await shop.actions.get(ana, id ?? '');
  return `${state}: ${message}`;
}

const idOf = async (answer: ReturnType<typeof act>) => (await answer).result?.actionId;

test('what an action quotes of a rollout that its pods stall names none of them', async () => {
  const owner = shop.cluster.get('/apis/apps/v1/namespaces/shop/replicasets/checkout-3').metadata;
  const waiting = { reason: 'ImagePullBackOff', message: 'cannot pull' };
  shop.cluster.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'checkout-3-secret',
      namespace: 'shop',
      uid: 'uid-secret',
      resourceVersion: '5',
      creationTimestamp: '2026-11-22T12:00:00Z',
      labels: { app: 'checkout', 'pod-template-hash': 'hash-3' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'checkout-3', uid: owner.uid, controller: true },
      ],
    },
    spec: { containers: [{ name: 'app', image: 'x' }] },
    status: {
      phase: 'Pending',
      containerStatuses: [
        { name: 'app', ready: false, restartCount: 0, image: 'x', imageID: '', state: { waiting } },
      ],
    },
  });
  await put({ state: 'StepUpgrade' });
  const error = await act('pause', { seen: 'stale' }).catch((thrown: unknown) => thrown as AppError);
  expect(error).toMatchObject({ code: 'changed', details: { now: 'Step 1 of 3 is stalled.' } });
});

describe('an approval', () => {
  test('runs dry as the viewer, and is then sent once with the version that was read', async () => {
    const tried = await act('approve', { dryRun: true });
    expect(tried).toMatchObject({ applied: false, dryRun: { accepted: true }, diff: null });
    expect(tried.findings.map(({ code }) => code)).toEqual(['permitted', 'dry_run_accepted']);
    expect(shop.writes()).toEqual([]);
    expect((await act('approve')).applied).toBe(true);
    expect(shop.writes()).toEqual([
      expect.objectContaining({
        method: 'PATCH',
        path: `${path}/status`,
        contentType: 'application/merge-patch+json',
        body: '{"metadata":{"resourceVersion":"11"},"status":{"canaryStatus":{"currentStepState":"StepReady"}}}',
        credential: ana.credential,
      }),
    ]);
    expect(shop.lines().map(({ event, action }) => [event, action.action, action.step])).toEqual([
      ['attempted', 'approve', { from: 1, to: 2 }],
      ['accepted', 'approve', { from: 1, to: 2 }],
    ]);
  });

  test('derives the history of its workload once', async () => {
    const request = { seen: seen(), reason: '', dryRun: true };
    const derive = vi.spyOn(deploymentKind, 'history');
    onTestFinished(() => derive.mockRestore());
    await shop.actions.rollout(ana, ref, 'approve', request);
    expect(derive).toHaveBeenCalledTimes(1);
  });

  test.each<[string, Changes, RolloutParts?]>([
    ['another step', { step: 2, next: 3 }],
    ['another rollout', { id: 'v3', updated: 'v3' }],
    ['another plan', {}, { steps: [steps[0] ?? {}, { replicas: '100%' }] }],
    ['a paused Rollout', {}, { spec: { strategy: { paused: true, canary: { steps } } } }],
  ])('never reaches %s than the one that was seen', async (_, changes, parts) => {
    const stale = seen();
    await put(changes, parts);
    await expect(act('approve', { seen: stale })).rejects.toMatchObject({
      code: 'changed',
      details: { seen: seen(), now: expect.stringMatching(/\.$/) as string },
    });
    expect(shop.patches()).toEqual([]);
    expect(shop.events()).toEqual(['refused']);
  });

  test('never reaches a workload with another template', async () => {
    const stale = seen();
    shop.cluster.put(deployment(template('4'), { generation: 4 }));
    await expect(act('approve', { seen: stale })).rejects.toMatchObject({ code: 'changed' });
    expect(shop.patches()).toEqual([]);
  });

  test.each(['the dry run', 'the write'])(
    'that meets a newer version in %s is checked again',
    async (when) => {
      const isMeant = (query: object | undefined) =>
        (query !== undefined && 'dryRun' in query) === (when === 'the dry run');
      let left = 1;
      shop.cluster.onRequest = ({ method, query }) => {
        if (method !== 'PATCH' || !isMeant(query) || left-- <= 0) return;
        shop.cluster.put(rollout({ ready: 0 }));
      };
      expect((await act('approve')).applied).toBe(true);
      left = 1;
      shop.cluster.put(rollout());
      shop.cluster.onRequest = ({ method, query }) => {
        if (method !== 'PATCH' || !isMeant(query) || left-- <= 0) return;
        shop.cluster.put(rollout({ step: 2, next: 3 }));
      };
      await expect(act('approve')).rejects.toMatchObject({ code: 'changed' });
      expect(shop.cluster.get(path).status).toMatchObject({
        canaryStatus: { currentStepState: 'StepPaused' },
      });
    },
  );

  test('in the wrong state is rejected before anything is sent', async () => {
    shop.cluster.put(deployment(template('2'), { generation: 4 }));
    await put({ phase: 'Healthy', succeeded: 'False' });
    expect((await act('approve', { dryRun: true })).plan).toBeNull();
    await expect(act('approve')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('rolled back') as string,
      details: { findings: [{ code: 'wrong_state' }] },
    });
    expect(shop.patches()).toEqual([]);
  });

  test('is rejected without the right to the status, and by a read-only process', async () => {
    shop.cluster.answerAccess = ({ subresource }) => ({ allowed: subresource !== 'status' });
    const tried = await act('approve', { dryRun: true });
    expect(tried).toMatchObject({
      dryRun: null,
      findings: [
        { code: 'forbidden', message: 'ana is not allowed to patch rollouts/status in namespace shop.' },
      ],
    });
    await expect(act('approve')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await act('pause')).applied).toBe(true);
    const request = { seen: seen(), reason: '', dryRun: false };
    const looker = { ...ana, readOnly: 'configured' } as const;
    await expect(shop.actions.rollout(looker, ref, 'disable', request)).rejects.toMatchObject({
      code: 'read_only',
    });
  });

  test.each([
    [422, 'refused'],
    [403, 'forbidden'],
  ])('that the API server answers with %i is %s, in its own words', async (status, code) => {
    shop.cluster.onRequest = ({ method }) => {
      if (method === 'PATCH') throw apiError(status, 'Whatever', 'the webhook says no');
    };
    await expect(act('approve')).rejects.toMatchObject({
      code,
      message: expect.stringContaining('the webhook says no') as string,
    });
  });

  test('that the API server rejects after its dry run is refused, with what it says as the reason', async () => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && query?.dryRun === undefined) throw apiError(422, 'Invalid', 'spec: x');
    };
    await expect(act('approve')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('spec: x Nothing was applied.') as string,
      details: { findings: [{ severity: 'refusal', code: 'write_refused' }] },
    });
    expect(shop.events()).toEqual(['attempted', 'refused']);
  });

  test('is not sent while the audit cannot be written', async () => {
    shop.audit.close();
    await expect(act('approve')).rejects.toMatchObject({ code: 'internal' });
    expect(shop.writes()).toEqual([]);
  });

  test('whose answer is lost stays open until the cluster shows the outcome', async () => {
    shop.cluster.onWritten = () => {
      throw unreachable();
    };
    const error = await act('approve').catch((thrown: { details: { actionId: string } }) => thrown);
    const { actionId } = (error as { details: { actionId: string } }).details;
    expect((await shop.actions.get(ana, actionId)).state).toBe('accepted');
    expect(await after(actionId, { step: 2, next: 3 })).toMatch(/^done: Step 2 of 3/);
  });
});

describe('a write to a rollout without an answer', () => {
  const late = () => {
    shop.cluster.connection = { ...shop.cluster.connection, observedAt: NOON + 91_000 };
  };
  const doubtful = async (action: RolloutActionName) => {
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && query?.dryRun === undefined) throw unreachable();
    };
    const error = (await act(action).catch((thrown: unknown) => thrown)) as AppError;
    expect(error.message).toMatch(/has not arrived yet, but still may/);
    expect(shop.events()).toEqual(['attempted']);
    return String(error.details.actionId);
  };

  test('is found when it arrives late', async () => {
    const id = await doubtful('approve');
    expect(await after(id, {})).toMatch(/^accepted: .*may still arrive/);
    expect(await after(id, { step: 2, next: 3, state: 'StepUpgrade', ready: 0 })).toMatch(/^following/);
    late();
    expect(await after(id, { step: 2, next: 3, state: 'StepUpgrade', ready: 0 })).toMatch(/^following/);
    expect(await after(id, { step: 2, next: 3 })).toMatch(/^done/);
  });

  test('is not reported as unchanged where the controller has written since', async () => {
    const id = await doubtful('approve');
    late();
    expect(await after(id, {})).toMatch(/^failed: .*may or may not have been applied/);
  });

  test('fails once it can no longer arrive', async () => {
    const id = await doubtful('pause');
    late();
    await put({}, { metadata: { resourceVersion: '11' } });
    expect((await shop.actions.get(ana, id)).message).toMatch(/^The request never arrived/);
  });
});

describe('an accepted action', () => {
  test('ends when the pods of the next step are updated', async () => {
    const id = await idOf(act('approve'));
    expect((await shop.actions.get(ana, id ?? '')).state).toBe('accepted');
    expect(await after(id, { state: 'StepReady' })).toMatch(
      /^following: Applied; waiting for the controller/,
    );
    expect(await after(id, { step: 2, next: 3, state: 'StepUpgrade', ready: 0 })).toMatch(
      /^following: Step 2/,
    );
    expect(await after(id, { step: 2, next: 3 })).toMatch(/^done: Step 2 of 3 done: 1 of 1 pod ready/);
    expect(shop.events()).toEqual(['attempted', 'accepted', 'finished']);
  });

  test('on the last step ends with the rollout', async () => {
    await put({ step: 3, next: -1 });
    const id = await idOf(act('approve'));
    expect(await after(id, { step: 3, next: -1, state: 'Completed', progressing: 'Finalising' })).toMatch(
      /^following/,
    );
    expect(
      await after(id, {
        ...{ phase: 'Healthy', progressing: 'Completed', succeeded: 'True' },
        ...{ step: 3, next: -1, state: 'Completed' },
      }),
    ).toBe('done: All 3 steps are done.');
  });

  test('to run a step again is not taken for done by the earlier run', async () => {
    const id = await idOf(act('jump', { step: 1 }));
    await shop.cluster.settled();
    expect((await shop.actions.get(ana, id ?? '')).state).toBe('accepted');
    expect(await after(id, { next: 1 })).toMatch(/^following/);
    expect(await after(id, { state: 'BeforeStepUpgrade' })).toMatch(/^following/);
    expect(await after(id, {})).toMatch(/^done/);
  });

  test.each<[string, Changes, RegExp]>([
    ['is rolled back', { progressing: 'Cancelling' }, /^failed: The rollout ended before/],
    ['gives way to another', { id: 'v3', step: 1 }, /^failed: Another rollout has replaced it/],
    ['is disabled', { phase: 'Disabling' }, /^failed: The rollout was disabled/],
  ])('fails when its rollout %s', async (_, changes, expected) => {
    const id = await idOf(act('approve'));
    if (changes?.progressing === 'Cancelling') shop.cluster.put(deployment(template('2'), { generation: 4 }));
    expect(await after(id, changes)).toMatch(expected);
  });

  test('that pauses or disables ends when the controller reports so', async () => {
    const pausing = await idOf(act('pause'));
    const spec = { strategy: { paused: true, canary: { steps } } };
    expect(await after(pausing, {}, { spec, metadata: { generation: 2 } })).toMatch(/^following/);
    const seenByIt = rollout({ progressing: 'Paused' }, { spec, metadata: { generation: 2 } });
    shop.cluster.put({ ...seenByIt, status: { ...seenByIt.status, observedGeneration: 2 } });
    await shop.cluster.settled();
    expect((await shop.actions.get(ana, pausing ?? '')).state).toBe('done');
    const disabling = await idOf(act('disable'));
    const off = { spec: { disabled: true, strategy: { canary: { steps } } }, metadata: { generation: 3 } };
    expect(await after(disabling, { phase: 'Disabling' }, off)).toMatch(/^following/);
    expect(await after(disabling, { phase: 'Disabled' }, off)).toMatch(/^done/);
  });

  test('is followed further by the next process', async () => {
    const id = await idOf(act('approve'));
    shop.restart();
    expect(await after(id, { step: 2, next: 3 })).toMatch(/^done/);
  });
});

describe('a rollback of the progressive rollout', () => {
  test('writes the workload with its stable template, and completes when the Rollout does', async () => {
    const tried = await act('rollback', { dryRun: true });
    expect(tried).toMatchObject({ revision: { number: 2 }, plan: { action: 'rollback' } });
    expect(tried.diff?.changes.length).toBeGreaterThan(0);
    const id = await idOf(act('rollback'));
    expect(shop.writes()).toEqual([expect.objectContaining({ method: 'PATCH', path: workloadPath })]);
    expect(shop.cluster.get(workloadPath).spec?.template).toMatchObject(template('2'));
    expect(await shop.actions.get(ana, id ?? '')).toMatchObject({
      ...workload,
      rollout: { resource, name: 'checkout-ro' },
    });
    const list = await shop.actions.list(ana, ref);
    expect(list.map((action) => action.id)).toEqual([id]);
    expect(await shop.actions.list(ana, workload)).toEqual(list);

    shop.cluster.put(replicaSetOf(4, template('2'), 2, 2));
    const { status } = deployment({}, { generation: 4 });
    shop.cluster.put({ ...shop.cluster.get(workloadPath), status });
    expect(await after(id, { progressing: 'Cancelling' })).toMatch(/^following: .*Rolling back from step 1/);
    expect(await after(id, { phase: 'Healthy', progressing: 'Completed', succeeded: 'False' })).toMatch(
      /^done: Complete/,
    );
  });

  test('does not write to a workload that the viewer has not seen', async () => {
    const stale = seen();
    const { spec, ...rest } = shop.cluster.get(workloadPath);
    shop.cluster.store({ ...rest, spec: { ...spec, template: template('4') } });
    await expect(act('rollback', { seen: stale })).rejects.toMatchObject({ code: 'changed' });
    expect(shop.patches()).toEqual([]);
  });
});
