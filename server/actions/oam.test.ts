import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import {
  byReference,
  componentRevisions,
  deploymentObjects,
  type OamParts,
  oamObject,
} from '@/lib/rollout/oam/testing/scenario';
import type { RolloutActionName } from '@/lib/api/action-values';
import { deriveCurrentView } from '@/server/actions/current-rollout';
import { apiError } from '@/server/actions/testing/fake-cluster';
import { ana, NOON, openShop } from '@/server/actions/testing/shop';
import { rolloutRefusals } from '@/server/reads/rollout-refusals';
import { rolloutPreconditionToken } from '@/server/views/precondition-token';
import type { ReadContext } from '@/server/views/context';

const resource = 'rollouts.standard.oam.dev';
const ref = { resource, namespace: 'shop', name: 'cart' };
const path = '/apis/standard.oam.dev/v1alpha1/namespaces/shop/rollouts/cart';

let shop: ReturnType<typeof openShop>;
let version: number;

beforeEach(() => {
  version = 10;
  shop = openShop([]);
  shop.cluster.states.push({ resource, synced: true, problem: null });
  put({}, 3);
});

/**
 * The second of four batches is done and waits, with this many of 8 pods; a test passes in what a controller
 * would have written.
 */
function put(parts: OamParts = {}, pods?: number): void {
  version += 1;
  if (pods !== undefined) {
    for (const { workload, sources, pods: own } of [
      deploymentObjects('cart-v2', '2', pods),
      deploymentObjects('cart-v1', '1', 8 - pods),
    ])
      [...sources, ...own, workload].forEach((each) => shop.cluster.put(each));
    componentRevisions('cart', ['1', '2']).forEach((each) => shop.cluster.put(each));
  }
  const rollout = oamObject(parts);
  rollout.metadata.resourceVersion = String(version);
  rollout.metadata.generation = version;
  shop.cluster.put(rollout);
}

function viewOf() {
  const { cluster } = shop;
  const object = cluster.rollouts.rollout(resource, 'shop', 'cart');
  if (object === undefined) throw new Error('no rollout');
  return deriveCurrentView({ cluster, now: () => NOON }, object);
}

async function stateAfter(id: string | undefined, parts: OamParts, pods?: number) {
  put(parts, pods);
  await shop.cluster.settled();
  const { state, message } = await shop.actions.get(ana, id ?? '');
  return `${state}: ${message}`;
}

type More = { dryRun?: boolean; seen?: string; step?: number; revert?: boolean };
const seen = () => rolloutPreconditionToken(shop.cluster, shop.keys, viewOf());
const act = (action: RolloutActionName, more: More = {}) =>
  shop.actions.rollout(ana, ref, action, { seen: seen(), reason: 'fine', dryRun: false, ...more });
const idOf = async (answer: ReturnType<typeof act>) => (await answer).result?.actionId;
const sent = () =>
  shop.writes().map(({ method, path: asked, body }) => [method, asked, JSON.parse(body ?? '') as JsonObject]);

describe('an approval', () => {
  test('raises the partition of the version that the viewer saw, and is followed until its batch is updated', async () => {
    const id = await idOf(act('approve'));
    expect(sent()).toEqual([
      ['PATCH', path, { metadata: { resourceVersion: '11' }, spec: { rolloutPlan: { batchPartition: 2 } } }],
    ]);
    expect(await shop.actions.get(ana, id ?? '')).toMatchObject({ label: 'Approve batch 2' });
    const approved = { plan: { batchPartition: 2 } };
    expect(await stateAfter(id, approved)).toMatch(/^following: Applied; waiting for the controller/);
    const running = { ...approved, status: { currentBatch: 2, batchRollingState: 'batchVerifying' } };
    expect(await stateAfter(id, running, 4)).toBe('following: Batch 3 of 4 is updating pods.');
    const ready = { ...approved, status: { currentBatch: 2, batchRollingState: 'batchReady' } };
    expect(await stateAfter(id, ready, 5)).toMatch(/^done: Batch 3 of 4 done: 5 of 5 pods ready/);
  });

  test('reaches no other batch than the one that the viewer saw, and lowers nothing', async () => {
    const stale = seen();
    put({ plan: { batchPartition: 2 }, status: { currentBatch: 2 } }, 5);
    await expect(act('approve', { seen: stale })).rejects.toMatchObject({ code: 'changed' });
    await expect(act('approve', { step: 2 })).rejects.toMatchObject({
      code: 'refused',
      details: { findings: [{ code: 'no_such_step' }] },
    });
    expect(shop.patches()).toEqual([]);
  });
});

test('a pause is done once it is written, since no controller confirms it', async () => {
  const id = await idOf(act('pause'));
  expect(await stateAfter(id, { plan: { paused: true } })).toMatch(/^done: Paused in batch 2 of 4/);
  await act('resume');
  expect(sent().map(([, , body]) => body)).toMatchObject([
    { spec: { rolloutPlan: { paused: true } } },
    { spec: { rolloutPlan: { paused: false } } },
  ]);
});

test('a rollback shows its changes, runs back in batches, and waits where the plan does', async () => {
  expect(await act('rollback', { dryRun: true })).toMatchObject({
    applied: false,
    diff: { summary: 'image 2 → 1', from: { label: 'cart-v2' }, to: { label: 'cart-v1' } },
    dryRun: { accepted: true },
  });
  const id = await idOf(act('rollback'));
  expect(sent()).toMatchObject([['PATCH', path, { spec: { targetRevisionName: 'cart-v1' } }]]);
  const back = { targetRevisionName: 'cart-v1' };
  expect(await stateAfter(id, { spec: back })).toMatch(/^following: .*Changed: cart-v1 is requested/);
  const status = { lastTargetRevision: 'cart-v1', LastSourceRevision: 'cart-v2', currentBatch: 0 };
  const annotations = { 'trait.oam.dev/workload-name': 'cart-v1' };
  const rolling = { ...status, batchRollingState: 'batchVerifying' };
  expect(await stateAfter(id, { spec: back, status: rolling, annotations })).toBe(
    'following: Batch 1 of 4 is updating pods.',
  );
  const held = { ...status, currentBatch: 1, batchRollingState: 'batchReady' };
  expect(await stateAfter(id, { spec: back, status: held, annotations })).toMatch(/^done: /);
});

describe('a deletion', () => {
  test('applies to the version that the viewer saw, and is done when the object is deleted', async () => {
    const id = await idOf(act('delete'));
    expect(sent()).toMatchObject([
      ['DELETE', path, { preconditions: { uid: 'uid-cart', resourceVersion: '11' } }],
    ]);
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, id ?? '')).toMatchObject({
      state: 'done',
      message: 'cart was deleted.',
    });
  });

  test('records first whether to revert the executed batches, and needs the right to either', async () => {
    put(byReference);
    expect(await act('delete', { revert: true, dryRun: true })).toMatchObject({
      plan: { title: 'Delete cart and revert its changes', then: { method: 'DELETE' } },
      findings: [{ code: 'permitted' }, { code: 'permitted' }, { code: 'dry_run_accepted' }],
    });
    await act('delete', { revert: true });
    expect(sent()).toMatchObject([
      ['PATCH', path, { spec: { rolloutPlan: { revertOnDelete: true } } }],
      ['DELETE', path, { preconditions: { uid: 'uid-cart' } }],
    ]);
  });

  test('is rejected after a write in between', async () => {
    shop.cluster.onRequest = ({ method }) => {
      if (method === 'DELETE') throw apiError(409, 'Conflict', 'the ResourceVersion differs');
    };
    await expect(act('delete')).rejects.toMatchObject({ code: 'conflict' });
    expect(shop.cluster.get(path).metadata.uid).toBe('uid-cart');
  });
});

test('an action approves no step where its system continues by itself, and nothing is sent', async () => {
  await expect(act('pause', { step: 3 })).rejects.toMatchObject({ code: 'bad_request' });
  expect(shop.writes()).toEqual([]);
});

test('the right to change a rollout does not include its deletion', async () => {
  shop.cluster.answerAccess = ({ verb }) => ({ allowed: verb !== 'delete' });
  const context = { cluster: shop.cluster, config: {} } as unknown as ReadContext;
  const refusals = await rolloutRefusals(context, ana, viewOf(), { byName: true });
  expect(refusals).toEqual({
    approve: null,
    pause: null,
    resume: null,
    rollback: null,
    delete: 'ana is not allowed to delete rollouts in namespace shop.',
  });
  await expect(act('delete')).rejects.toMatchObject({ code: 'forbidden' });
  expect(shop.writes()).toEqual([]);
});
