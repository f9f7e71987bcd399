import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rolloutDetailSchema, rolloutListSchema } from '@/lib/api/rollouts';
import { rolloutHistoryListSchema } from '@/lib/api/rollout-histories';
import type { JsonObject } from '@/lib/kube/json';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { DISCOVERY_INTERVAL_MS } from '@/server/cluster/served-resources';
import { createTransport } from '@/server/cluster/transport';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import type { ReadContext } from '@/server/views/context';
import { visibleKeys } from '@/server/views/visible-keys';
import { workloadPods } from '@/server/reads/pods';
import { listRolloutHistories, readRolloutHistory } from '@/server/reads/rollout-histories';
import { withRoutedTraffic } from '@/server/reads/routed-traffic';
import { RolloutViews } from '@/server/views/rollout-view';
import { listRollouts, readRollout } from '@/server/reads/rollouts';
import { findRollout, rolloutOf } from '@/server/views/find-rollout';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { ViewCache } from '@/server/views/workload-view';
import { startSandboxApi } from '@/sandbox/api/sandbox-api';
import { batchReleaseCrd, rolloutCrd, rolloutHistoryCrd } from '@/sandbox/crds/crds';
import { parseAnswer } from '@/test/parse-answer';
import { oneCluster } from '@/server/reads/testing/one-cluster';
import { viewerNamed } from '@/server/shared/testing/viewers';

const GROUP = 'rollouts.kruise.io';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const rolloutsPath = `/apis/${GROUP}/v1beta1/namespaces/shop/rollouts`;
const historiesPath = `/apis/${GROUP}/v1alpha1/namespaces/shop/rollouthistories`;
const ref = { resource: `rollouts.${GROUP}`, namespace: 'shop', name: 'cart-ro' };

const cart = { resource: 'deployments.apps', namespace: 'shop', name: 'cart' };

const kinds = [rolloutCrd, batchReleaseCrd, rolloutHistoryCrd];

const container = (image: string) => ({
  name: 'cart',
  image,
  env: [{ name: 'DB_PASSWORD', value: 'hunter2' }],
});
const template = (image: string) => ({
  metadata: { labels: { app: 'cart' } },
  spec: { containers: [container(image)] },
});

async function begin() {
  const api = await startSandboxApi();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-rollouts-'));
  writeFileSync(join(directory, 'kubeconfig'), api.kubeconfig('admin'));
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [join(directory, 'kubeconfig')] });
  const clock = {
    now: () => Date.now(),
    sleep: (ms: number, signal: AbortSignal) =>
      systemClock.sleep(ms === DISCOVERY_INTERVAL_MS ? 50 : ms, signal),
  };
  const cluster = new LiveCluster({
    credentials,
    readOnly: false,
    namespaces: [],
    kinds: workloadKinds,
    log: silentLogger,
    clock,
  });
  const transport = createTransport({ credentials, readOnly: false });
  onTestFinished(async () => {
    await cluster.stop();
    await transport.close();
    await api.stop();
    rmSync(directory, { recursive: true });
  });
  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object = {}) =>
    transport.json({
      method,
      path,
      body: JSON.stringify(body),
      ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
    }) as Promise<JsonObject & { metadata: { uid: string } }>;
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
  cluster.start();
  await vi.waitFor(() => expect(cluster.ready).toBe(true), 20_000);
  const keys = new Keys(Buffer.alloc(32));
  const views = new ViewCache(cluster, keys.mask);
  const context: ReadContext = {
    cluster,
    keys,
    views,
    rollouts: new RolloutViews(cluster, views),
    summaries: new ChangeSummaries(keys.mask),
    config: { links: [] },
    now: () => Date.now(),
  };
  return { cluster, context, send };
}

function ownerOf(kind: string, name: string, uid: string) {
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true };
}

type TestBench = Awaited<ReturnType<typeof begin>>;

/** A Deployment with two revisions, of which step 1 of a Rollout has started one pod of the second. */
async function ship({ cluster, context, send }: TestBench): Promise<void> {
  for (const kind of kinds) await send('POST', definitions, kind);
  const deployments = '/apis/apps/v1/namespaces/shop/deployments';
  const spec = { replicas: 4, selector: { matchLabels: { app: 'cart' } }, template: template('cart:2') };
  const { metadata } = await send('POST', deployments, { metadata: { name: 'cart' }, spec });
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'cart',
    uid: metadata.uid,
    controller: true,
  };
  for (const revision of ['1', '2']) {
    const labels = { app: 'cart', 'pod-template-hash': `h${revision}` };
    const image = template(`cart:${revision}`);
    const set = await send('POST', '/apis/apps/v1/namespaces/shop/replicasets', {
      metadata: {
        name: `cart-h${revision}`,
        labels,
        annotations: { 'deployment.kubernetes.io/revision': revision },
        ownerReferences: [owner],
      },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { ...image, metadata: { labels } } },
    });
    await send('POST', '/api/v1/namespaces/shop/pods', {
      metadata: {
        name: `cart-h${revision}-a`,
        labels: {
          ...labels,
          ...(revision === '2' && { [`${GROUP}/rollout-id`]: 'r2', [`${GROUP}/rollout-batch-id`]: '1' }),
        },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: `cart-h${revision}`,
            uid: set.metadata.uid,
            controller: true,
          },
        ],
      },
      spec: image.spec,
    });
  }
  await send('POST', rolloutsPath, {
    apiVersion: `${GROUP}/v1beta1`,
    kind: 'Rollout',
    metadata: { name: 'cart-ro' },
    spec: {
      workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' },
      strategy: { canary: { steps: [{ replicas: '25%', pause: {} }, { replicas: '100%' }] } },
    },
  });
  await send('PATCH', `${rolloutsPath}/cart-ro/status`, { status: paused(1) });
  await vi.waitFor(async () => {
    const { items } = await listRollouts(oneCluster(context, cluster.self), { limit: 50 });
    // Each kind has its own watch.
    expect(items[0]).toMatchObject({
      step: { state: 'waiting' },
      steps: [{ podCount: 1 }, { podCount: 0 }],
      revisions: { stable: { number: 1 }, updated: { number: 2 } },
    });
  }, 20_000);
}

function paused(step: number): JsonObject {
  return {
    phase: 'Progressing',
    observedGeneration: 1,
    message: 'Rollout is in step(1/2), password=hunter2',
    conditions: [{ type: 'Progressing', status: 'True', reason: 'InRolling', message: '' }],
    canaryStatus: {
      currentStepIndex: step,
      nextStepIndex: step + 1,
      currentStepState: 'StepPaused',
      observedRolloutID: 'r2',
      canaryRevision: 'r2',
      stableRevision: 'h1',
      podTemplateHash: 'h2',
      canaryReplicas: 1,
      canaryReadyReplicas: 0,
    },
  };
}

test('lists a Rollout with its steps, pods, revisions and actions as soon as its definition exists', async () => {
  const stage = await begin();
  const { cluster, context } = stage;
  expect(await listRollouts(oneCluster(context, cluster.self), { limit: 50 })).toMatchObject({
    items: [],
    served: false,
  });
  expect(await listRolloutHistories(oneCluster(context, cluster.self), { limit: 50 })).toMatchObject({
    items: [],
    served: false,
  });
  await ship(stage);

  const list = parseAnswer(
    rolloutListSchema,
    await listRollouts(oneCluster(context, cluster.self), { limit: 50 }),
  );
  expect(list).toMatchObject({ served: true, counts: { total: 1, byState: { waiting: 1 } }, partial: [] });
  const [item] = list.items;
  expect(item).toMatchObject({
    system: 'openkruise',
    state: 'waiting',
    phase: 'Progressing',
    style: 'partition',
    workload: { resource: 'deployments.apps', name: 'cart', state: 'found' },
    step: { index: 1, total: 2, state: 'waiting' },
    revisions: {
      stable: { number: 1, hash: 'h1' },
      updated: { number: 2, hash: 'h2' },
      summary: 'image 1 → 2',
    },
    unassignedPodCount: 0,
  });
  expect(
    item?.steps.map(({ replicas, podCount, pods }) => [replicas.planned, podCount, pods[0]?.name]),
  ).toEqual([
    [1, 1, 'cart-h2-a'],
    [4, 0, undefined],
  ]);
  expect(JSON.stringify(list)).not.toContain('hunter2');
  expect(
    await rolloutOf(context, cluster.self, { ...ref, resource: 'deployments.apps', name: 'cart' }),
  ).toEqual(ref);
});

test('the canary of a Deployment is nested: its pods count to the step, and no list has it as a workload', async () => {
  const stage = await begin();
  await ship(stage);
  const { context, cluster, send } = stage;
  const labels = { app: 'cart', 'pod-template-hash': 'h3' };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'cart' } }, template: template('cart:3') };
  const extra = await send('POST', '/apis/apps/v1/namespaces/shop/deployments', {
    metadata: { name: 'cart-x1', labels: { [`${GROUP}/canary-deployment`]: 'cart' } },
    spec,
  });
  const set = await send('POST', '/apis/apps/v1/namespaces/shop/replicasets', {
    metadata: {
      name: 'cart-x1-h3',
      labels,
      ownerReferences: [ownerOf('Deployment', 'cart-x1', extra.metadata.uid)],
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { ...template('cart:3'), metadata: { labels } },
    },
  });
  await send('POST', '/api/v1/namespaces/shop/pods', {
    metadata: {
      name: 'cart-x1-h3-a',
      labels: { ...labels, [`${GROUP}/rollout-id`]: 'r2', [`${GROUP}/rollout-batch-id`]: '1' },
      ownerReferences: [ownerOf('ReplicaSet', 'cart-x1-h3', set.metadata.uid)],
    },
    spec: template('cart:3').spec,
  });
  await send('PATCH', '/apis/apps/v1/namespaces/shop/deployments/cart', {
    spec: { paused: true, template: template('cart:3') },
  });
  await send('PATCH', `${rolloutsPath}/cart-ro`, {
    spec: { strategy: { canary: { enableExtraWorkloadForCanary: true } } },
  });
  await send('PATCH', `${rolloutsPath}/cart-ro/status`, {
    status: { observedGeneration: 2, canaryStatus: { podTemplateHash: 'h3' } },
  });
  const read = async () => (await readRollout(context, cluster.self, ref)).rollout;
  await vi.waitFor(
    async () => expect((await read()).steps[0]?.pods.map(({ name }) => name)).toEqual(['cart-x1-h3-a']),
    10_000,
  );
  expect(await read()).toMatchObject({
    style: 'canary',
    auxiliaries: [{ resource: 'deployments.apps', name: 'cart-x1' }],
    revisions: { updated: { pending: true, hash: 'h3' }, compare: { to: 'live' } },
    unassignedPodCount: 0,
  });
  expect([...cluster.cache.workloads()].map(({ name }) => name)).toEqual(['cart']);
  const { items } = await workloadPods(context, cluster.self, cart);
  expect(items.find(({ name }) => name === 'cart-x1-h3-a')).toMatchObject({
    auxiliary: { kind: 'Deployment', name: 'cart-x1' },
    revision: null,
    target: false,
  });
  expect(items.filter(({ auxiliary }) => auxiliary === undefined).length).toBeGreaterThan(0);
});

test('the current step shows where requests really go, as far as the viewer can read it', async () => {
  const stage = await begin();
  await ship(stage);
  const { context, cluster, send } = stage;
  const metadata = { name: 'cart', namespace: 'shop' };
  const canary = {
    name: 'cart-canary',
    annotations: {
      'nginx.ingress.kubernetes.io/canary': 'true',
      'nginx.ingress.kubernetes.io/canary-weight': '7',
    },
  };
  await send('POST', '/api/v1/namespaces/shop/services', {
    metadata,
    spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
  });
  await send('POST', '/apis/networking.k8s.io/v1/namespaces/shop/ingresses', { metadata: canary, spec: {} });
  const route = (routing: JsonObject) =>
    send('PATCH', `${rolloutsPath}/cart-ro`, {
      spec: { strategy: { canary: { trafficRoutings: [{ service: 'cart', ...routing }] } } },
    });
  const actual = async () => (await readRollout(context, cluster.self, ref)).rollout.steps[0]?.traffic;

  await route({ ingress: { name: 'cart' } });
  await vi.waitFor(
    async () => expect((await actual())?.actual).toEqual({ kind: 'weight', percent: 7 }),
    10_000,
  );
  const nobody = viewerNamed('nobody', 'n');
  const view = await withRoutedTraffic(context, nobody, await findRollout(context, cluster.self, ref));
  expect(view.rollout.steps[0]?.traffic).toMatchObject({
    actual: null,
    evidence: 'Unknown: nobody is not allowed to read ingresses in shop.',
  });
  await route({ gateway: { httpRouteName: 'cart' }, ingress: null });
  await vi.waitFor(
    async () =>
      expect(await actual()).toMatchObject({
        actual: null,
        evidence: 'Unknown: the cluster does not serve httproutes.gateway.networking.k8s.io.',
      }),
    10_000,
  );
});

test('the precondition token of an action changes with the step, and not with the count of ready pods', async () => {
  const stage = await begin();
  await ship(stage);
  const { context, cluster, send } = stage;
  const read = async () =>
    parseAnswer(rolloutDetailSchema, await readRollout(context, cluster.self, ref)).rollout;
  const before = await read();
  await send('PATCH', `${rolloutsPath}/cart-ro/status`, {
    status: { canaryStatus: { canaryReadyReplicas: 1 } },
  });
  await vi.waitFor(async () => expect((await read()).replicas.ready).toBe(1), 10_000);
  expect((await read()).seen).toBe(before.seen);
  await send('PATCH', `${rolloutsPath}/cart-ro/status`, {
    status: { canaryStatus: { currentStepState: 'StepReady' } },
  });
  await vi.waitFor(async () => expect((await read()).step.state).toBe('approved'), 10_000);
  expect((await read()).seen).not.toBe(before.seen);
});

test('the stream names a Rollout when it or one of its pods changes, to viewers who can read it', async () => {
  const stage = await begin();
  await ship(stage);
  const { cluster, send } = stage;
  const told: string[] = [];
  onTestFinished(cluster.onRolloutChange((keys) => told.push(...keys.map(({ name }) => name))));
  await send('PATCH', '/api/v1/namespaces/shop/pods/cart-h2-a', {
    metadata: { labels: { [`${GROUP}/rollout-batch-id`]: '2' } },
  });
  await vi.waitFor(() => expect(told).toContain('cart-ro'), 10_000);
  const keys = [{ cluster: cluster.identity.id, ...ref }];
  expect(await visibleKeys(cluster, cluster.self, keys)).toEqual(keys);
  const nobody = viewerNamed('nobody', 'n');
  expect(await visibleKeys(cluster, nobody, keys)).toEqual([]);
  await expect(readRollout(stage.context, nobody, ref)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(readRollout(stage.context, nobody, { ...ref, name: 'none' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(readRollout(stage.context, cluster.self, { ...ref, name: 'none' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('lists records of OpenKruise with how reliable they are, with masked templates', async () => {
  const stage = await begin();
  const { context, cluster, send } = stage;
  const list = async () =>
    parseAnswer(
      rolloutHistoryListSchema,
      await listRolloutHistories(oneCluster(context, cluster.self), { limit: 50 }),
    );
  expect(await list()).toMatchObject({ items: [], served: false });
  await ship(stage);
  // The resource is discovered shortly after it is served.
  await vi.waitFor(async () => expect((await list()).note).toContain('feature gate'));
  const labels = { [`${GROUP}/rollout-name`]: 'cart-ro', [`${GROUP}/rollout-id`]: 'r1' };
  await send('POST', historiesPath, {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'RolloutHistory',
    metadata: { name: 'cart-ro-abc123', labels },
    spec: {
      rollout: { name: 'cart-ro', rolloutID: 'r1' },
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'cart',
        data: { template: template('cart:1') },
      },
    },
  });
  await send('PATCH', `${historiesPath}/cart-ro-abc123/status`, {
    status: { phase: 'completed', canarySteps: [{ canaryStepIndex: 1 }] },
  });
  await vi.waitFor(async () => expect((await list()).items[0]?.state).toBe('completed'), 10_000);
  const [item] = (await list()).items;
  expect(item).toMatchObject({
    revision: { value: { number: 1 }, source: 'revisions' },
    rollout: { value: 'cart-ro', exists: true, source: 'labels' },
    completedAt: { source: 'managedFields' },
  });
  expect(item?.findings.map(({ code }) => code)).toEqual(['withoutPods', 'withoutRoute']);
  const { template: held } = await readRolloutHistory(context, cluster.self, {
    namespace: 'shop',
    name: 'cart-ro-abc123',
  });
  expect(JSON.stringify(held)).toContain('cart:1');
  expect(JSON.stringify(held)).not.toContain('hunter2');
});
