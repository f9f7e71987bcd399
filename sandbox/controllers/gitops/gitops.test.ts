import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { gitopsCrds } from '@/sandbox/crds/crds';

/** Each starts an API server. */
const TIMEOUT_MS = 60_000;
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const WEB = '/apis/apps/v1/namespaces/default/deployments/web';
const MINUTE_MS = 60_000;
const GIT = 'web:2';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.start();
  await sandbox.define(...gitopsCrds);
  for (const name of ['argocd', 'flux-system'])
    await send('POST', '/api/v1/namespaces', 'kubectl', { metadata: { name } });
});
afterEach(() => sandbox.close());

async function send(method: 'POST' | 'PATCH', path: string, fieldManager: string, body: JsonObject) {
  const contentType = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
  await sandbox.transport.json({
    method,
    path,
    query: { fieldManager },
    contentType,
    body: JSON.stringify(body),
  });
  await sandbox.idle();
}

/** A Deployment in its second version, both of which the tool wrote. */
async function deploy(tool: string, metadata: JsonObject): Promise<void> {
  const containers = [{ name: 'app', image: 'web:1' }];
  const labels = { app: 'web' };
  await send('POST', '/apis/apps/v1/namespaces/default/deployments', tool, {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', ...metadata } },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  await pass(MINUTE_MS);
  await setImage(GIT, tool);
  await pass(MINUTE_MS);
}

const tracked = { annotations: { 'argocd.argoproj.io/tracking-id': 'web:apps/Deployment:default/web' } };
const labeled = {
  labels: {
    'kustomize.toolkit.fluxcd.io/name': 'web',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
  },
};

const pass = (ms: number) => sandbox.passUntil(sandbox.clock.now() + ms);

const setImage = (image: string, manager = 'shiplog') =>
  send('PATCH', WEB, manager, { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } });

async function createOwner(apiVersion: string, kind: string, spec: JsonObject, name = 'web'): Promise<void> {
  const namespace = kind === 'Kustomization' ? 'flux-system' : 'argocd';
  const path = `/apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s`;
  await send('POST', path, 'kubectl', { apiVersion, kind, metadata: { name }, spec });
}

const ARGO_CD = 'argoproj.io/v1alpha1';
const FLUX = 'kustomize.toolkit.fluxcd.io/v1';
const selfHeal = { syncPolicy: { automated: { selfHeal: true } } };

const get = async (path: string) =>
  (await sandbox.transport.json({ method: 'GET', path })) as unknown as KubeObject;
const application = () => get(`/apis/${ARGO_CD}/namespaces/argocd/applications/web`);
const kustomization = () => get(`/apis/${FLUX}/namespaces/flux-system/kustomizations/web`);

async function image(): Promise<string | undefined> {
  const { spec } = await get(WEB);
  return textAt(objectsAt(spec, 'template', 'spec', 'containers')[0], 'image');
}

test('with self-heal a hand-made change is reverted within seconds, and counted', async () => {
  await createOwner(ARGO_CD, 'Application', selfHeal);
  await deploy('argocd-controller', tracked);
  for (const attempts of [1, 2]) {
    await setImage('web:1');
    expect(await image()).toBe('web:1');
    expect(textAt((await application()).status, 'sync', 'status')).toBe('OutOfSync');
    await pass(2_000);
    expect(await image()).toBe(GIT);
    const { status } = await application();
    expect(status).toMatchObject({
      sync: { status: 'Synced' },
      operationState: { phase: 'Succeeded', operation: { sync: { autoHealAttemptsCount: attempts } } },
    });
    expect(objectsAt(status, 'history')).toHaveLength(2);
  }
  const writers = objectsAt((await get(WEB)) as never, 'metadata', 'managedFields').filter(
    ({ fieldsV1 }) => valueAt(fieldsV1, 'f:spec', 'f:template') !== undefined,
  );
  expect(writers.map(({ manager }) => manager)).toEqual(['argocd-controller']);
});

test('a new version by Argo CD itself is a commit: it stays, and joins the history', async () => {
  await createOwner(ARGO_CD, 'Application', selfHeal);
  await deploy('argocd-controller', tracked);
  await setImage('web:3', 'argocd-controller');
  await pass(MINUTE_MS);
  expect(await image()).toBe('web:3');
  expect(objectsAt((await application()).status, 'history')).toHaveLength(3);
});

test('a restart and another number of replicas are no drift', async () => {
  await createOwner(ARGO_CD, 'Application', selfHeal);
  await deploy('argocd-controller', tracked);
  const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
  await send('PATCH', WEB, 'shiplog', { spec: { replicas: 3, template: { metadata: { annotations } } } });
  await pass(MINUTE_MS);
  expect((await get(WEB)).spec).toMatchObject({ replicas: 3, template: { metadata: { annotations } } });
  expect(textAt((await application()).status, 'sync', 'status')).toBe('Synced');
});

test.each([
  ['without self-heal', { automated: {} }],
  ['with automation that is turned off', { automated: { enabled: false, selfHeal: true } }],
  ['without automation', {}],
])('%s a hand-made change stays, and the Application is out of sync', async (_, syncPolicy) => {
  await createOwner(ARGO_CD, 'Application', { syncPolicy });
  await deploy('argocd-controller', tracked);
  await setImage('web:1');
  await pass(60 * MINUTE_MS);
  expect(await image()).toBe('web:1');
  expect(textAt((await application()).status, 'sync', 'status')).toBe('OutOfSync');
});

test('a deny window defers self-heal until it closes', async () => {
  const opensAt = new Date(sandbox.clock.now());
  const schedule = `${opensAt.getUTCMinutes()} ${opensAt.getUTCHours()} * * *`;
  await createOwner(
    ARGO_CD,
    'AppProject',
    { syncWindows: [{ kind: 'deny', schedule, duration: '1h', applications: ['web'] }] },
    'default',
  );
  await createOwner(ARGO_CD, 'Application', selfHeal);
  await deploy('argocd-controller', tracked);
  await setImage('web:1');
  await pass(50 * MINUTE_MS);
  expect(await image()).toBe('web:1');
  await pass(15 * MINUTE_MS);
  expect(await image()).toBe(GIT);
});

test('an ApplicationSet puts the sync policy of its Application back, unless it ignores the difference', async () => {
  const generators = [{ list: { elements: [{ name: 'web' }] } }];
  const template = { metadata: { name: '{{name}}' }, spec: selfHeal };
  await createOwner(ARGO_CD, 'ApplicationSet', { generators, template });
  const turnOff = () =>
    sandbox.merge(`/${ARGO_CD}/namespaces/argocd/applications/web`, {
      spec: { syncPolicy: { automated: { enabled: false } } },
    });
  await turnOff();
  expect((await application()).spec).toMatchObject(selfHeal);
  expect(valueAt((await application()).spec, 'syncPolicy', 'automated', 'enabled')).toBeUndefined();
  await sandbox.merge(`/${ARGO_CD}/namespaces/argocd/applicationsets/web`, {
    spec: { ignoreApplicationDifferences: [{ jsonPointers: ['/spec/syncPolicy'] }] },
  });
  await turnOff();
  expect(valueAt((await application()).spec, 'syncPolicy', 'automated', 'enabled')).toBe(false);
});

test('a Kustomization puts a hand-made change back at its interval, not before', async () => {
  await deploy('kustomize-controller', labeled);
  await createOwner(FLUX, 'Kustomization', { interval: '10m' });
  await pass(4 * MINUTE_MS);
  await setImage('web:1');
  await pass(5 * MINUTE_MS);
  expect(await image()).toBe('web:1');
  await pass(2 * MINUTE_MS);
  expect(await image()).toBe(GIT);
  expect((await kustomization()).status).toMatchObject({
    conditions: [{ type: 'Ready', status: 'True' }],
    history: [{ totalReconciliations: 2 }],
  });
});

test.each([
  ['a suspended Kustomization', { suspend: true }, {}],
  ['a workload with reconcile: disabled', {}, { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' }],
])('%s keeps a hand-made change', async (_, spec, annotations) => {
  await deploy('kustomize-controller', { ...labeled, annotations });
  await createOwner(FLUX, 'Kustomization', { interval: '10m' });
  await sandbox.merge(`/${FLUX}/namespaces/flux-system/kustomizations/web`, { spec });
  await setImage('web:1');
  await pass(30 * MINUTE_MS);
  expect(await image()).toBe('web:1');
});

test('a requested reconciliation comes at once', async () => {
  await deploy('kustomize-controller', labeled);
  await createOwner(FLUX, 'Kustomization', { interval: '10m' });
  await setImage('web:1');
  const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  await sandbox.merge(`/${FLUX}/namespaces/flux-system/kustomizations/web`, { metadata: { annotations } });
  expect(await image()).toBe(GIT);
});
