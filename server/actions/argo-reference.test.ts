import { beforeEach, describe, expect, test } from 'vitest';
import { rollbackRequestSchema } from '@/lib/api/actions';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { argoObject, argoPods, argoSet } from '@/lib/workloads/testing/argo';
import { object, template } from '@/lib/workloads/testing/objects';
import { apiError, pathOf } from '@/server/actions/testing/fake-cluster';
import { ana, openShop } from '@/server/actions/testing/shop';
import { workloadPreconditionToken } from '@/server/views/precondition-token';
import { deriveView } from '@/server/views/workload-view';

const resource = 'rollouts.argoproj.io';
const ref = { resource, namespace: 'shop', name: 'checkout' };
const HOLDERS = [
  ['Deployment', 'apps/v1', '/spec/template'],
  ['ReplicaSet', 'apps/v1', '/spec/template'],
  ['PodTemplate', 'v1', '/template'],
] as const;
const DEPLOYMENT = HOLDERS[0];

let shop: ReturnType<typeof openShop>;

beforeEach(() => {
  shop = openShop([]);
});

function holderOf(
  [kind, apiVersion]: readonly [string, string, string],
  body: JsonObject,
  spec: JsonObject = {},
): KubeObject {
  const place =
    kind === 'PodTemplate' ? { template: body } : { spec: { replicas: 0, template: body, ...spec } };
  return { ...object(kind, { name: 'basis', uid: 'uid-basis', owner: null }), apiVersion, ...place };
}

/**
 * A Rollout that refers to another object for its template; `current` is the template that its controller
 * used last.
 */
function put(
  held: readonly [string, string, string],
  current: '1' | '2',
  parts: { spec?: JsonObject; generation?: string } = {},
): void {
  const [kind, apiVersion] = held;
  const isBack = current === '1';
  const sets = [
    argoSet(isBack ? 3 : 1, '1', { created: 0, replicas: isBack ? 5 : 0, ...(isBack && { history: '1' }) }),
    argoSet(2, '2', { created: 2, replicas: isBack ? 0 : 5 }),
  ];
  const rollout = argoObject({
    annotations: { 'rollout.argoproj.io/workload-generation': parts.generation ?? current },
    spec: { workloadRef: { apiVersion, kind, name: 'basis' }, ...parts.spec },
    status: {
      phase: 'Healthy',
      currentPodHash: `h${current}`,
      stableRS: `h${current}`,
      currentStepIndex: 4,
      workloadObservedGeneration: current,
      replicas: 5,
      updatedReplicas: 5,
      readyReplicas: 5,
      availableReplicas: 5,
    },
  });
  delete rollout.spec?.template;
  for (const set of sets) {
    shop.cluster.put(set);
    argoPods(set).forEach((pod) => shop.cluster.put(pod));
  }
  shop.cluster.put(rollout);
}

function seen(): string {
  const { cluster, keys } = shop;
  const workload = cluster.cache.workload(resource, 'shop', 'checkout');
  if (workload === undefined) throw new Error('no rollout');
  return workloadPreconditionToken(keys, cluster.identity.id, deriveView(cluster, workload, 0));
}

const rollBack = (members: object = {}) =>
  shop.actions.rollback(ana, ref, rollbackRequestSchema.parse({ to: 1, seen: seen(), ...members }));
const codesOf = (findings: readonly { code: string }[]) => findings.map(({ code }) => code);

describe('a rollback of a Rollout whose template is in another object', () => {
  test.each(HOLDERS)('writes that object: %s', async (...held) => {
    const [kind, , path] = held;
    const basis = holderOf(held, template('2'));
    shop.cluster.put(basis);
    put(held, '2');
    const before = shop.cluster.get(`/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/checkout`);
    const tried = await rollBack({ dryRun: true });
    expect(tried.diff).toMatchObject({ summary: 'image 2 → 1' });
    expect(tried.plan?.request).toMatchObject({
      path: pathOf(basis),
      body: [
        { op: 'test', path: '/metadata/uid', value: 'uid-basis' },
        { op: 'test', path, value: template('2') },
        { op: 'replace', path, value: template('1') },
      ],
    });
    expect(codesOf(tried.findings)).toEqual(
      expect.arrayContaining(['workload_ref', 'runs_steps', 'permitted', 'dry_run_accepted']),
    );
    const { result } = await rollBack({ toSeen: tried.toSeen ?? undefined });
    expect(shop.cluster.get(pathOf(basis))).toMatchObject(
      kind === 'PodTemplate' ? { template: template('1') } : { spec: { template: template('1') } },
    );
    expect(shop.cluster.get(`/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/checkout`)).toEqual(before);
    expect(shop.lines().at(-1)).toMatchObject({
      event: 'accepted',
      action: { resource, name: 'checkout', from: 2, to: 1, actor: 'ana' },
    });

    const id = result?.actionId ?? '';
    const said = async () => {
      await shop.cluster.settled();
      const { state, message } = await shop.actions.get(ana, id);
      return `${state}: ${message}`;
    };
    shop.cluster.put({ ...before, metadata: { ...before.metadata, resourceVersion: '2' } });
    expect(await said()).toMatch(/waiting for the controller to observe it/);
    put(held, '2', { generation: '1' });
    expect(await said()).toMatch(/waiting for the controller to observe it/);
    put(held, '1');
    expect(await said()).toBe('done: Complete: 5 of 5 pods ready on revision 3.');
  });

  test('has to match what the viewer saw, and the preview', async () => {
    shop.cluster.put(holderOf(DEPLOYMENT, template('2')));
    put(DEPLOYMENT, '2');
    const { toSeen } = await rollBack({ dryRun: true });
    shop.cluster.put(holderOf(DEPLOYMENT, template('9')));
    await expect(rollBack({ toSeen })).rejects.toMatchObject({ code: 'changed' });
    const error: unknown = await rollBack().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'changed',
      details: { diff: { summary: expect.stringMatching(/9 → 1/) as string } },
    });
    const { details } = error as { details: { seen: string } };
    const fresh = await rollBack({ seen: details.seen, dryRun: true });
    expect(codesOf(fresh.findings)).toContain('not_taken_up');
    await expect(rollBack({ seen: details.seen, toSeen })).rejects.toMatchObject({ code: 'changed' });
    shop.cluster.onRequest = ({ method, query }) => {
      if (method === 'PATCH' && query?.dryRun === undefined)
        shop.cluster.store(holderOf(DEPLOYMENT, template('10')));
    };
    await expect(rollBack({ seen: details.seen, toSeen: fresh.toSeen })).rejects.toMatchObject({
      code: 'changed',
      details: { paths: ['/spec/template'] },
    });
    expect(shop.cluster.get(pathOf(holderOf(DEPLOYMENT, {}))).spec?.template).toEqual(template('10'));
  });

  test('needs the rights to that object, and reports the missing ones', async () => {
    shop.cluster.put(holderOf(DEPLOYMENT, template('2')));
    put(DEPLOYMENT, '2');
    shop.cluster.answerAccess = ({ verb, resource: asked }) => ({
      allowed: verb !== 'patch' || asked === 'rollouts',
    });
    const tried = await rollBack({ dryRun: true });
    const messages = tried.findings.filter(({ severity }) => severity === 'refusal');
    expect(messages.map(({ message }) => message)).toEqual([
      expect.stringMatching(/is not allowed to patch deployments in namespace shop/),
    ]);
    shop.cluster.onRequest = ({ path }) => {
      if (path.endsWith('/deployments/basis')) throw apiError(403, 'Forbidden', 'no deployments for ana');
    };
    const blind = await rollBack({ dryRun: true });
    expect(blind.plan).toBeNull();
    expect(blind.findings[0]).toMatchObject({
      code: 'workload_ref_unreadable',
      message: expect.stringMatching(/no deployments for ana/) as string,
    });
    expect(shop.patches()).toEqual([]);
  });

  test('reports that nothing is to be done where that object has the template already, and that its own pods change too', async () => {
    shop.cluster.put(holderOf(DEPLOYMENT, template('2'), { replicas: 3 }));
    put(DEPLOYMENT, '2');
    expect(codesOf((await rollBack({ to: 2, dryRun: true })).findings)).toContain('equal_target');
    expect(codesOf((await rollBack({ dryRun: true })).findings)).toContain('workload_ref_pods');
  });

  test('leaves the Rollout’s own actions to the Rollout', async () => {
    put(DEPLOYMENT, '2');
    const control = { seen: seen(), reason: '', dryRun: false };
    const { result } = await shop.actions.control(ana, ref, 'restart', control);
    expect(result?.state).toBe('accepted');
    await shop.cluster.settled();
    expect((await shop.actions.get(ana, result?.actionId ?? '')).state).toBe('accepted');
  });
});
