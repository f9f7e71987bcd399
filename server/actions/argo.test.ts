import { beforeEach, describe, expect, test } from 'vitest';
import { controlRequestSchema, rollbackRequestSchema } from '@/lib/api/actions';
import type { Json, JsonObject } from '@/lib/kube/json';
import type { RolloutActionName } from '@/lib/api/action-values';
import { argoPods, type ArgoParts, argoSet, waitingCanary } from '@/lib/workloads/testing/argo';
import { template } from '@/lib/workloads/testing/objects';
import { deriveCurrentView } from '@/server/actions/current-rollout';
import { apiError } from '@/server/actions/testing/fake-cluster';
import { ana, NOON, openShop } from '@/server/actions/testing/shop';
import { rolloutPreconditionToken } from '@/server/views/precondition-token';

const resource = 'rollouts.argoproj.io';
const ref = { resource, namespace: 'shop', name: 'checkout' };
const path = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/checkout';

let shop: ReturnType<typeof openShop>;
let version: number;

beforeEach(() => {
  version = 10;
  // Its Deployment has the uid that all workloads of the tests have, so it must have no sources.
  shop = openShop([]);
  put();
});

/**
 * Revision 2 is a canary that waits in its second step; a test passes in what the controller would have
 * written.
 */
function put(parts: ArgoParts = {}, others?: ReturnType<typeof argoSet>[]): void {
  version += 1;
  const { rollout, sets: own } = waitingCanary(parts);
  const sets = others ?? own;
  rollout.metadata.resourceVersion = String(version);
  for (const set of sets) {
    shop.cluster.put(set);
    argoPods(set).forEach((pod) => shop.cluster.put(pod));
  }
  shop.cluster.put(rollout);
}

async function stateAfter(id: string | undefined, parts: ArgoParts, sets?: ReturnType<typeof argoSet>[]) {
  put(parts, sets);
  await shop.cluster.settled();
  const { state, message } = await shop.actions.get(ana, id ?? '');
  return `${state}: ${message}`;
}

function seen(): string {
  const { cluster, keys } = shop;
  const object = cluster.rollouts.rollout(resource, 'shop', 'checkout');
  if (object === undefined) throw new Error('no rollout');
  return rolloutPreconditionToken(cluster, keys, deriveCurrentView({ cluster, now: () => NOON }, object));
}

const act = (action: RolloutActionName, more: { dryRun?: boolean; seen?: string } = {}) =>
  shop.actions.rollout(ana, ref, action, { seen: seen(), reason: 'fine', dryRun: false, ...more });
const idOf = async (answer: ReturnType<typeof act>) => (await answer).result?.actionId;
const bodies = () => shop.writes().map(({ path, body }) => [path, JSON.parse(body ?? '') as JsonObject]);

describe('an action on a Rollout of Argo', () => {
  test('promotes the step that the viewer saw, as the viewer, and is followed into the next one', async () => {
    const id = await idOf(act('approve'));
    expect(bodies()).toEqual([
      [`${path}/status`, { metadata: { resourceVersion: '11' }, status: { pauseConditions: null } }],
    ]);
    const unpausing = { pauseConditions: null };
    expect(await stateAfter(id, { status: unpausing })).toMatch(
      /^following: Applied; waiting for the controller/,
    );
    const next = { ...unpausing, phase: 'Progressing', controllerPause: false, currentStepIndex: 2 };
    expect(await stateAfter(id, { status: next })).toMatch(/^following: Step 3 of 4: set weight to 60%/);
    const paused = {
      currentStepIndex: 3,
      pauseConditions: [{ reason: 'CanaryPauseStep', startTime: '2026-08-01T12:09:00Z' }],
    };
    expect(await stateAfter(id, { status: paused })).toMatch(/^done: /);
  });

  test('promotes a manually paused Rollout with two writes, and reports when the second fails', async () => {
    put({ spec: { paused: true } });
    await act('approve');
    expect(bodies().map(([asked, body]) => [asked, Array.isArray(body)])).toEqual([
      [`${path}/status`, false],
      [path, true],
    ]);
    expect(shop.cluster.get(path).spec?.paused).toBe(false);
    put({ spec: { paused: true } });
    shop.cluster.onRequest = ({ method, path: asked, query }) => {
      if (method === 'PATCH' && asked === path && query?.dryRun === undefined)
        throw apiError(403, 'Forbidden', 'not now');
    };
    await expect(act('approve')).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(
        /first of two requests was applied, the second failed.*not now/,
      ) as string,
    });
    expect(shop.cluster.get(path)).toMatchObject({ spec: { paused: true } });
    expect(shop.cluster.get(path).status).not.toHaveProperty('pauseConditions');
    expect(shop.events()).toEqual([
      ...['attempted', 'attempted', 'accepted'],
      ...['attempted', 'attempted', 'failed'],
    ]);
  });

  test('never reaches another step than the one that the viewer saw', async () => {
    const stale = seen();
    put({ status: { currentStepIndex: 3 } });
    await expect(act('approve', { seen: stale })).rejects.toMatchObject({ code: 'changed' });
    expect(shop.patches()).toEqual([]);
  });

  test('is completed when the controller has acted on it: an abort and its retry', async () => {
    const aborted = { abort: true, pauseConditions: null, controllerPause: false, currentStepIndex: 0 };
    const id = await idOf(act('abort'));
    expect(await stateAfter(id, { status: { abort: true } })).toMatch(/^following: Aborting/);
    expect(await stateAfter(id, { status: { ...aborted, phase: 'Degraded' } })).toMatch(
      /^done: Aborted: revision 1 is serving/,
    );
    const retry = await idOf(act('retry'));
    expect(await stateAfter(retry, { status: { ...aborted, abort: false, phase: 'Degraded' } })).toMatch(
      /^following/,
    );
    expect(await stateAfter(retry, { status: { ...aborted, abort: false, phase: 'Progressing' } })).toMatch(
      /^done: Step 1 of 4/,
    );
    expect(bodies().map(([, body]) => body)).toMatchObject([
      { status: { abort: true } },
      { status: { abort: false } },
    ]);
  });

  test('writes the object itself where the cluster knows no status subresource', async () => {
    shop.cluster.onRequest = ({ method, path: asked }) => {
      if (method === 'PATCH' && asked.endsWith('/status'))
        throw apiError(404, 'NotFound', 'the server could not find the requested resource');
    };
    await act('promoteFull');
    expect(bodies().filter(([asked]) => asked === path)).toEqual([
      [path, { metadata: { resourceVersion: '11' }, status: { promoteFull: true } }],
    ]);
  });

  test('a rollback of the Rollout makes the stable revision the target, and is followed until all pods run it', async () => {
    const tried = await act('rollback', { dryRun: true });
    expect(tried).toMatchObject({
      applied: false,
      diff: { summary: 'image 2 → 1' },
      dryRun: { accepted: true },
    });
    expect(tried.findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['ends_rollout', 'consequence']),
    );
    const id = await idOf(act('rollback'));
    expect(shop.cluster.get(path).spec?.template).toEqual(template('1'));
    const { generation = 0 } = shop.cluster.get(path).metadata;
    const back = {
      phase: 'Healthy',
      currentPodHash: 'h1',
      currentStepIndex: 4,
      pauseConditions: null,
      controllerPause: false,
      observedGeneration: String(generation),
    };
    const sets = [
      argoSet(3, '1', { replicas: 5, created: 0, history: '1' }),
      argoSet(2, '2', { created: 2 }),
    ];
    expect(await stateAfter(id, { image: '1', generation, status: back }, sets)).toMatch(/^done: /);
  });

  test('without the right to write the status, it is rejected with that reason and nothing is sent', async () => {
    shop.cluster.answerAccess = ({ subresource }) => ({ allowed: subresource !== 'status' });
    const tried = await act('abort', { dryRun: true });
    expect(tried.findings.find(({ severity }) => severity === 'refusal')?.message).toMatch(
      /rollouts\/status/,
    );
    expect(shop.patches()).toEqual([]);
  });
});

test('a rollback of the workload is followed as one of a workload, though its resource is one of rollouts too', async () => {
  put({
    status: {
      phase: 'Healthy',
      stableRS: 'h2',
      currentStepIndex: 4,
      pauseConditions: null,
      controllerPause: false,
    },
  });
  const workload = shop.cluster.cache.workload(resource, 'shop', 'checkout');
  const seenWorkload = shop.keys.preconditionToken('cluster', workload?.uid ?? '', workload?.bodyId ?? '');
  const request = rollbackRequestSchema.parse({ to: 1, seen: seenWorkload });
  const { result, findings } = await shop.actions.rollback(ana, ref, request);
  expect(findings.map(({ code }) => code)).toContain('runs_steps');
  expect(shop.cluster.get(path).spec?.template).toEqual(template('1'));
  const { generation = 0 } = shop.cluster.get(path).metadata;
  const status = {
    phase: 'Progressing',
    currentPodHash: 'h1',
    stableRS: 'h2',
    currentStepIndex: 0,
    pauseConditions: null,
    observedGeneration: String(generation),
  };
  expect(await stateAfter(result?.actionId, { image: '1', generation, status })).toMatch(/^following: /);
});

test('a restart of the Rollout is done with its pods: it waits for no revision number', async () => {
  const status = {
    phase: 'Healthy',
    stableRS: 'h2',
    currentStepIndex: 4,
    pauseConditions: null,
    controllerPause: false,
    replicas: 5,
    updatedReplicas: 5,
    readyReplicas: 5,
    availableReplicas: 5,
  };
  put({ status });
  const workload = shop.cluster.cache.workload(resource, 'shop', 'checkout');
  const token = shop.keys.preconditionToken('cluster', workload?.uid ?? '', workload?.bodyId ?? '');
  const request = controlRequestSchema.parse({ seen: token });
  const { result } = await shop.actions.control(ana, ref, 'restart', request);
  const { metadata, spec } = shop.cluster.get(path);
  const { generation = 0 } = metadata;
  const restartAt = spec?.restartAt ?? null;
  const observed = { ...status, observedGeneration: String(generation) };
  const after = (restartedAt: Json) =>
    stateAfter(result?.actionId, { generation, spec: { restartAt }, status: { ...observed, restartedAt } });
  expect(await after(null)).toMatch(/^following: /);
  expect(await after(restartAt)).toBe('done: Complete: 5 of 5 pods ready on revision 2.');
});
