import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { until } from '@/e2e/cluster/fixtures';
import { seedNamespace } from '@/e2e/controlplane/seed';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { customResource, type CustomResource } from '@/sandbox/crds/crds';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

const namespace = 'models';
const revisions = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
let cluster: ControlPlane;
let shiplog: Shiplog;
let replaced: ReturnType<typeof replaceOwner>;

beforeAll(async () => {
  cluster = await startControlPlane();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await seedNamespace(cluster, namespace);
  replaced = replaceOwner();
  // The caller that awaits it gets the failure.
  replaced.catch(() => undefined);
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

const post = (path: string, body: object): Promise<KubeObject> => cluster.client().create<any>(path, body);

async function define(resource: CustomResource): Promise<void> {
  await post(definitions, customResource(resource));
  const { group, versions, plural } = resource;
  await until(`${plural} are served`, async () => {
    const list = await cluster
      .client()
      .list(`/apis/${group}/${versions[0]}/${plural}`)
      .catch(() => undefined);
    return list !== undefined;
  });
}

const controlledBy = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
});

/** As its controller would; the finalizer prevents its deletion with the owner. */
function record(
  owner: KubeObject,
  name: string,
  revision: number,
  data: JsonObject,
  labels: Record<string, string> = {},
  finalizers: string[] = [],
): Promise<KubeObject> {
  const metadata = { name, labels, finalizers, ...controlledBy(owner) };
  return post(revisions, { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision, data });
}

const podSpec = (tag: string) => ({
  containers: [
    {
      name: 'engine',
      image: `registry.example.com/ml/vllm:${tag}`,
      env: [{ name: 'API_KEY', value: 'hunter2-hunter2' }],
    },
  ],
});
const template = (tag: string) => ({ metadata: { labels: { app: 'chat' } }, spec: podSpec(tag) });

const rows = async (resource: string) =>
  (await shiplog.get(`/api/workloads?resource=${resource}`)).items as Record<string, any>[];
const row = (resource: string, matches: (item: Record<string, any>) => boolean) =>
  until(`a row of ${resource}`, async () => (await rows(resource)).find(matches));

/** A replaced owner; Shiplog needs some seconds to find out. */
async function replaceOwner(): Promise<{ first: KubeObject; second: KubeObject }> {
  await define({ group: 'example.net', kind: 'Job2', plural: 'job2s', versions: ['v1'] });
  const path = `/apis/example.net/v1/namespaces/${namespace}/job2s`;
  const make = () =>
    post(path, {
      apiVersion: 'example.net/v1',
      kind: 'Job2',
      metadata: { name: 'batch' },
      spec: { a: 1 },
    });
  const first = await make();
  await record(first, 'batch-1', 1, { spec: { a: 1 } }, {}, ['example.net/keep']);
  await row('job2s.example.net', ({ name }) => name === 'batch');
  await cluster.client().remove(`${path}/batch`);
  const second = await until('it is gone', () => make().catch(() => undefined));
  await record(second, 'batch-2', 1, { spec: { a: 1 } });
  return { first, second };
}

describe('an owner of a kind that is defined while Shiplog runs', () => {
  const resource = 'uniteddeployments.apps.kruise.io';
  const base = `/api/workloads/${resource}/${namespace}/chat`;
  const path = `/apis/apps.kruise.io/v1alpha1/namespaces/${namespace}/uniteddeployments`;
  let owner: KubeObject;

  beforeAll(async () => {
    await define({
      group: 'apps.kruise.io',
      kind: 'UnitedDeployment',
      plural: 'uniteddeployments',
      versions: ['v1alpha1'],
    });
    owner = await post(path, {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'UnitedDeployment',
      metadata: { name: 'chat' },
      spec: { replicas: 2, stateful: true, template: template('0.9.0') },
    });
    for (const [number, tag] of [
      [1, '0.8.5'],
      [2, '0.9.0'],
    ] as const)
      await record(
        owner,
        `chat-rev${number}`,
        number,
        { spec: { template: { ...template(tag), $patch: 'replace' } } },
        { name: 'chat' },
      );
    await cluster
      .client()
      .patch(
        `${path}/chat/status`,
        { status: { currentRevision: 'chat-rev1', updateRevision: 'chat-rev2' } },
        'merge-patch',
      );
    await post(`/api/v1/namespaces/${namespace}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'chat-0',
        labels: { app: 'chat', 'controller-revision-hash': 'chat-rev1' },
        ...controlledBy(owner),
      },
      spec: podSpec('0.8.5'),
    });
  });

  it('appears in the list and on its own page, with the meaning of its numbers, without a restart', async () => {
    const item = await row(resource, ({ name, targetRevision }) => name === 'chat' && targetRevision === 2);
    expect(item).toMatchObject({ kind: 'UnitedDeployment', namespace, revisions: { total: 2 } });
    const detail = await until('its pod is there', async () => {
      const answer = await shiplog.get(base);
      return answer.revisions.some(({ pods }: any) => pods.total === 1) && answer;
    });
    expect(detail.workload.producer.name).toBe('Kruise UnitedDeployment');
    expect(detail.workload.producer.notes.length).toBeGreaterThan(0);
    expect(
      detail.revisions.map(({ number, target, live, pods }: any) => [number, target, live, pods.total]),
    ).toEqual([
      [2, true, true, 0],
      [1, false, true, 1],
    ]);
  });

  it('has a diff, between revisions and against now, and the manifest of each revision, all masked', async () => {
    const between = await shiplog.get(`${base}/diff?from=1&to=2`);
    expect(JSON.stringify(between.changes)).toContain('0.9.0');
    expect(between.changes).toHaveLength(1);
    expect((await shiplog.get(`${base}/diff?from=2&to=live`)).changes).toEqual([]);
    const { yaml } = await shiplog.get(`${base}/revisions/1/manifest`);
    expect(yaml).toContain('kind: ControllerRevision');
    expect(yaml).toContain('$patch: replace');
    expect(JSON.stringify(between) + yaml).not.toContain('hunter2');
  });

  it('rolls back to a revision that replaces the spec, and changes nothing else', async () => {
    const { workload } = await shiplog.get(base);
    const request = { to: 1, seen: workload.seen, reason: 'slower', dryRun: true };
    const preview = await shiplog.post(`${base}/rollback`, request);
    expect(preview.status, JSON.stringify(preview.body)).toBe(200);
    expect(preview.body).toMatchObject({ applied: false, dryRun: { accepted: true } });
    const { status, body } = await shiplog.post(`${base}/rollback`, { ...request, dryRun: false });
    expect(status, JSON.stringify(body)).toBe(200);
    const { spec } = await cluster.client().get<any>(`${path}/chat`);
    expect(spec).toEqual({ replicas: 2, stateful: true, template: template('0.8.5') });
  });
});

it('a cluster-scoped owner whose revisions are not patches is shown, and its rollback refused with the reason', async () => {
  await define({
    group: 'example.com',
    kind: 'Fleet',
    plural: 'fleets',
    versions: ['v2'],
    namespaced: false,
  });
  const owner = await post('/apis/example.com/v2/fleets', {
    apiVersion: 'example.com/v2',
    kind: 'Fleet',
    metadata: { name: 'edge' },
    spec: { size: 3 },
  });
  // A version that is no longer served.
  const named = { ...owner, apiVersion: 'example.com/v1beta1' };
  for (const size of [2, 3]) await record(named, `edge-${size}`, size - 1, { settings: { size } });
  await row('fleets.example.com', ({ name, revisions: { total } }) => name === 'edge' && total === 2);
  const base = '/api/workloads/fleets.example.com/-/edge';
  const { workload } = await shiplog.get(base);
  expect(workload).toMatchObject({ namespace: '-', kind: 'Fleet', producer: { name: null } });
  const [rollback] = workload.controls.filter(({ action }: any) => action === 'rollback');
  expect(rollback).toMatchObject({
    enabled: false,
    reason: expect.stringContaining('does not record fields of the spec'),
  });
  expect((await shiplog.get(`${base}/diff?from=1&to=2`)).changes).toHaveLength(1);
  const { status, body } = await shiplog.post(`${base}/rollback`, {
    ...{ to: 1, seen: workload.seen, reason: '', dryRun: false },
  });
  expect(status).toBe(422);
  expect(body.error).toMatchObject({ code: 'refused' });
});

it('each component of an Application has its own history, and none is in two', async () => {
  await define({ group: 'core.oam.dev', kind: 'Application', plural: 'applications', versions: ['v1beta1'] });
  const owner = await post(`/apis/core.oam.dev/v1beta1/namespaces/${namespace}/applications`, {
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'Application',
    metadata: { name: 'site' },
    spec: {},
  });
  const COMPONENT = 'controller.oam.dev/component';
  for (const component of ['web', 'db'])
    for (const number of [1, 2])
      await record(
        owner,
        `${component}-v${number}`,
        number,
        { spec: { number } },
        { [COMPONENT]: component },
      );
  const items = await until('both components', async () => {
    const found = (await rows('controllerrevisions.apps')).filter(({ name }) => name.startsWith('site.'));
    return found.length === 2 && found.every(({ revisions: { total } }) => total === 2) && found;
  });
  const names = await Promise.all(
    items.map(async ({ name }) => {
      const { revisions: list } = await shiplog.get(
        `/api/workloads/controllerrevisions.apps/${namespace}/${name}`,
      );
      return list.map((revision: { name: string }) => revision.name).sort();
    }),
  );
  expect(names.sort()).toEqual([
    ['db-v1', 'db-v2'],
    ['web-v1', 'web-v2'],
  ]);
});

it('the history of a deleted owner is readable, and nothing can be written', async () => {
  const { first, second } = await replaced;
  await row('job2s.example.net', ({ uid }) => uid === second.metadata.uid);
  const left = await row('controllerrevisions.apps', ({ uid }) => uid === first.metadata.uid);
  expect(left).toMatchObject({ kind: 'Job2', revisions: { total: 1 } });
  const base = `/api/workloads/controllerrevisions.apps/${namespace}/${left.name}`;
  const { workload } = await shiplog.get(base);
  expect(workload.placeholder).toMatchObject({ state: 'gone', owner: { kind: 'Job2', name: 'batch' } });
  const { status, body } = await shiplog.post(`${base}/rollback`, {
    ...{ to: 1, seen: workload.seen, reason: '', dryRun: true },
  });
  expect([status, body.error?.code]).toEqual([422, 'refused']);
  // No finalizer may prevent the deletion of the namespace.
  await cluster.client().patch(`${revisions}/batch-1`, { metadata: { finalizers: null } }, 'merge-patch');
});
