import { beforeEach, describe, expect, test } from 'vitest';
import { controlRequestSchema } from '@/lib/api/actions';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ManagedFieldsEntry } from '@/lib/kube/object';
import type { Finding } from '@/lib/workloads/plan';
import { template } from '@/lib/workloads/testing/objects';
import { unreachable } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, openShop, path, ref, replicaSetOf } from '@/server/actions/testing/shop';
import { failureOf } from '@/test/failure';

let shop: ReturnType<typeof openShop>;

const inTemplate = (fields: JsonObject): JsonObject => ({
  'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"app"}': fields } } },
});
const entry = (manager: string, operation: string, spec: JsonObject): ManagedFieldsEntry => ({
  ...{ manager, operation, time: '2026-08-01T12:00:00Z', fieldsV1: { 'f:spec': spec } },
});
const helm = entry('helm', 'Apply', inTemplate({ '.': {}, 'f:image': {} }));
const own = entry('shiplog', 'Update', inTemplate({ 'f:image': {} }));
const status: ManagedFieldsEntry = { ...entry('controller', 'Update', {}), subresource: 'status' };

const owned = (object: KubeObject, managedFields: ManagedFieldsEntry[]): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, managedFields },
});

/** A rollback to revision 2, done unless its pods are not ready; then the fields are owned like this. */
async function rollBack(managedFields: ManagedFieldsEntry[], ready = 2): Promise<void> {
  const { result } = await shop.rollback();
  shop.cluster.put(replicaSetOf(4, template('2'), 2, 2));
  shop.cluster.put(owned(deployment(template('2'), { generation: 4, ready }), managedFields));
  await shop.cluster.settled();
  const { state } = await shop.actions.get(ana, result?.actionId ?? '');
  expect(state).toBe(ready === 2 ? 'done' : 'following');
}

const release = (members: object = {}) =>
  shop.actions.releaseFields(ana, ref, controlRequestSchema.parse({ seen: shop.seen(), ...members }));
const entries = () => shop.cluster.get(path).metadata.managedFields?.map(({ manager }) => manager);
/** The code of its error, and of what rejects it. */
async function rejections(): Promise<unknown[]> {
  const { code, details } = await failureOf(release());
  const findings = details.findings as readonly Finding[];
  return [code, ...findings.filter(({ severity }) => severity === 'refusal').map((each) => each.code)];
}

beforeEach(() => {
  shop = openShop();
});

describe('the preview of a rollback', () => {
  const preview = async (before: ManagedFieldsEntry[], after: ManagedFieldsEntry[]) => {
    shop.cluster.put(owned(deployment(template('3')), before));
    const { json } = shop.cluster.api;
    shop.cluster.api.json = async (request) => {
      const answer = (await json(request)) as unknown as KubeObject;
      return (request.method === 'PATCH' ? owned(answer, after) : answer) as unknown as JsonObject;
    };
    const { findings } = await shop.rollback({ dryRun: true });
    return findings.filter(({ code }) => code === 'apply_manager').map(({ message }) => message);
  };

  test('names the fields that it takes from Helm 4, and what the next upgrade says', async () => {
    expect(await preview([helm], [{ ...helm, fieldsV1: {} }, own])).toEqual([
      'helm applies image of container app without force. The next helm upgrade that sets another value fails: conflict with "shiplog".',
    ]);
  });

  test('has one finding for a manager that applies: by the dry run, where it shows more', async () => {
    const kubectl = { ...helm, manager: 'kubectl' };
    expect(await preview([kubectl], [own])).toEqual([
      'kubectl applies image of container app without force. The next apply that sets another value fails: conflict with "shiplog".',
    ]);
    expect(await preview([kubectl], [kubectl])).toEqual([
      'kubectl applies this template (server-side apply). The next apply reverts this change, or stops with a conflict.',
    ]);
  });

  test('says nothing of it for Helm 3, and for a controller that forces', async () => {
    expect(await preview([{ ...helm, operation: 'Update' }], [own])).toEqual([]);
    expect(await preview([{ ...helm, manager: 'argocd-controller' }], [own])).toEqual([]);
  });
});

describe('a release of fields', () => {
  test('removes the entry of Shiplog alone, as the viewer, and is audited to its end', async () => {
    await rollBack([helm, own, status]);
    const preview = await release({ dryRun: true });
    expect(preview.plan?.steps).toContain(
      'The next helm upgrade overwrites the rollback silently, without a conflict.',
    );
    const { spec } = shop.cluster.get(path);
    const { result } = await release({ reason: 'the chart is fixed' });
    expect(entries()).toEqual(['helm', 'controller']);
    expect(shop.cluster.get(path).spec).toEqual(spec);
    expect(shop.writes().at(-1)).toMatchObject({ credential: { user: 'ana' }, method: 'PATCH', path });
    shop.cluster.updateCache(path);
    await shop.cluster.settled();
    expect(await shop.actions.get(ana, result?.actionId ?? '')).toMatchObject({
      ...{ action: 'releaseFields', state: 'done', reason: 'the chart is fixed' },
    });
    expect(shop.events().slice(-3)).toEqual(['attempted', 'accepted', 'finished']);
  });

  test('finds the entry again where another write has moved it', async () => {
    await rollBack([helm, status, own]);
    let moves = 1;
    shop.cluster.onRequest = ({ method }) => {
      if (method === 'PATCH' && moves-- > 0)
        shop.cluster.put(owned(shop.cluster.get(path), [helm, own, status]));
    };
    await release();
    expect(entries()).toEqual(['helm', 'controller']);
  });

  test('is rejected without a completed rollback before it', async () => {
    shop.cluster.put(owned(deployment(template('3')), [helm, own]));
    expect(await rejections()).toEqual(['refused', 'not_after_rollback']);
    await rollBack([helm, own], 1);
    expect(await rejections()).toEqual(['refused', 'not_after_rollback']);
    expect(entries()).toEqual(['helm', 'shiplog']);
  });

  test('is rejected after another action of Shiplog', async () => {
    await rollBack([helm, own]);
    await shop.actions.control(ana, ref, 'restart', controlRequestSchema.parse({ seen: shop.seen() }));
    shop.cluster.updateCache(path);
    expect(await rejections()).toEqual(['refused', 'not_after_rollback']);
  });

  test.each([
    [
      'Shiplog owns more than the rollback wrote',
      [helm, entry('shiplog', 'Update', { ...inTemplate({}), 'f:paused': {} })],
    ],
    ['Shiplog owns nothing', [helm]],
    ['the manager forces', [{ ...helm, manager: 'kustomize-controller' }, own]],
    ['Helm 3 updates', [{ ...helm, operation: 'Update' }, own]],
  ])('is rejected where %s', async (_, managedFields) => {
    await rollBack(managedFields);
    expect(await rejections()).toEqual(['refused', 'not_releasable']);
    expect(entries()).toEqual(managedFields.map(({ manager }) => manager));
  });

  test('without an answer is done once the cluster shows that the entry is gone', async () => {
    await rollBack([helm, own]);
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && query?.dryRun === undefined) throw unreachable();
    };
    const { details } = await failureOf(release());
    const now = async () => (await shop.actions.get(ana, String(details.actionId))).state;
    expect(await now()).toBe('accepted');
    shop.cluster.put(owned(shop.cluster.get(path), [helm]));
    await shop.cluster.settled();
    expect(await now()).toBe('done');
  });
});
