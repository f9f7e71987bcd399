import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { createNamespace } from '@/e2e/controlplane/kube-client';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { installKruise } from '@/e2e/support/install-crds';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { RolloutClient, TIMEOUT_MS } from '@/e2e/cluster/rollout-client';
import { runKruiseControllers } from '@/e2e/cluster/sandbox-controllers';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { KubeObject } from '@/lib/kube/object';
import { objectAt, textAt } from '@/lib/kube/read';

const NAMESPACE = 'rollouts';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const ROLLOUTS = `/apis/rollouts.kruise.io/v1beta1/namespaces/${NAMESPACE}/rollouts`;
const GROUP = 'rollouts.rollouts.kruise.io';

let cluster: ControlPlane;
let shiplog: Shiplog;
let asOperator: Shiplog;
const afterwards: (() => Promise<unknown>)[] = [];

const canRun = await needs('Actions on rollouts', 'simulatedPods');
vi.setConfig({ testTimeout: 2 * TIMEOUT_MS });

beforeAll(async () => {
  if (!canRun) return;
  cluster = await startControlPlane();
  const client = cluster.client();
  await installKruise(client);
  if (testCluster() === 'real') afterwards.push(await runKruiseControllers(cluster));
  await createNamespace(client, NAMESPACE);
  [shiplog, asOperator] = await Promise.all([
    startShiplog({ kubeconfig: cluster.kubeconfigs.admin }),
    startShiplog({ kubeconfig: cluster.kubeconfigs.operator }),
  ]);
});

afterAll(async () => {
  await shiplog?.stop();
  await asOperator?.stop();
  for (const stop of afterwards) await stop();
  await cluster?.stop();
});

const rollouts = new RolloutClient(() => ({ shiplog, group: GROUP, namespace: NAMESPACE }));
const pathOf = (name: string) => rollouts.pathOf(name);
/** Each has three steps. */
const untilState = (name: string, state: string, index: number) =>
  rollouts.untilState(name, `${state} ${index}/3`);
const untilDone = (answer: Parameters<RolloutClient['untilDone']>[0]) => rollouts.untilDone(answer);
const act = (...asked: Parameters<RolloutClient['act']>) => rollouts.act(...asked);
const read = async (name: string, by = shiplog) => (await by.get(pathOf(name))).rollout;
const rolloutOf = (name: string) => cluster.client().get<KubeObject>(`${ROLLOUTS}/${name}`);
/** What a person could have changed. The controller refreshes the rest of the status at any time. */
async function writtenOf(name: string): Promise<string> {
  const { metadata, spec, status } = await rolloutOf(name);
  const { currentStepIndex, nextStepIndex, currentStepState } = objectAt(status, 'canaryStatus') ?? {};
  return JSON.stringify([metadata.generation, spec, currentStepIndex, nextStepIndex, currentStepState]);
}

const actionOf = (rollout: any, name: string) => rollout.actions.find((entry: any) => entry.name === name);

const kinds = {
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments', resource: 'deployments.apps' },
  CloneSet: {
    apiVersion: 'apps.kruise.io/v1beta1',
    plural: 'clonesets',
    resource: 'clonesets.apps.kruise.io',
  },
} as const;

interface App {
  name: string;
  kind: keyof typeof kinds;
  style: 'canary' | 'partition' | 'blueGreen';
}

function objectPath({ name, kind }: App): string {
  const { apiVersion, plural } = kinds[kind];
  return `/apis/${apiVersion}/namespaces/${NAMESPACE}/${plural}${name === '' ? '' : `/${name}`}`;
}

/** A workload of four pods at v1, with a Rollout of three steps that each wait for approval. */
async function create(app: App): Promise<void> {
  const { name, kind, style } = app;
  const { apiVersion } = kinds[kind];
  const labels = { app: name };
  const client = cluster.client();
  const { spec } = imageOf('app:v1');
  const template = { metadata: { labels }, ...spec.template };
  await client.create(objectPath({ ...app, name: '' }), {
    apiVersion,
    kind,
    metadata: { name },
    spec: { replicas: 4, selector: { matchLabels: labels }, template },
  });
  const steps = [1, '50%', 4].map((replicas) => ({ replicas, pause: {} }));
  const extra = style === 'canary' && { enableExtraWorkloadForCanary: true };
  await client.create(ROLLOUTS, {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name },
    spec: {
      workloadRef: { apiVersion, kind, name },
      strategy: style === 'blueGreen' ? { blueGreen: { steps } } : { canary: { ...extra, steps } },
    },
  });
  await untilState(name, 'idle', 0);
  await until(
    'all pods are ready and rollouts are held back',
    async () => {
      const { status } = await client.get<KubeObject>(objectPath(app));
      const probe = await client.patch<KubeObject>(`${objectPath(app)}?dryRun=All`, imageOf('app:probe'));
      const isHeld =
        probe.spec?.paused === true ||
        textAt(probe.spec, 'updateStrategy', 'rollingUpdate', 'partition') === '100%';
      return status?.readyReplicas === 4 && isHeld;
    },
    TIMEOUT_MS,
  );
}

const imageOf = (image: string) => ({
  spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
});

/** Begins a rollout of v2 and waits for its first step. */
async function ship(app: App): Promise<any> {
  await cluster.client().patch(objectPath(app), imageOf('app:v2'));
  return untilState(app.name, 'waiting', 1);
}

const web: App = { name: 'web', kind: 'Deployment', style: 'canary' };
const api: App = { name: 'api', kind: 'Deployment', style: 'partition' };
const gate: App = { name: 'gate', kind: 'Deployment', style: 'partition' };

describe.runIf(canRun).concurrent('through Shiplog', () => {
  it('a canary is approved one step after the other, to its end', async ({ expect }) => {
    await create(web);
    const first = await ship(web);
    const before = await writtenOf('web');
    const tried = await act('web', 'approve', first.seen, { dryRun: true });
    expect(tried.body).toMatchObject({
      applied: false,
      result: null,
      dryRun: { accepted: true },
      plan: {
        title: 'Approve step 1 of 3',
        request: {
          method: 'PATCH',
          path: `${ROLLOUTS}/web/status`,
          body: {
            metadata: { resourceVersion: expect.stringMatching(/^\d+$/) as string },
            status: { canaryStatus: { currentStepState: 'StepReady' } },
          },
        },
      },
    });
    expect(await writtenOf('web')).toBe(before);
    const approved = await untilDone(await act('web', 'approve', first.seen));
    expect(approved, approved.message).toMatchObject({
      state: 'done',
      resource: GROUP,
      step: { from: 1, to: 2 },
      progress: { desired: 2, updated: 2, ready: 2 },
    });

    const second = await untilState('web', 'waiting', 2);
    const untouched = await writtenOf('web');
    const late = await act('web', 'approve', first.seen);
    expect(late.status).toBe(409);
    expect(late.body.error).toMatchObject({
      code: 'changed',
      details: { seen: second.seen, now: 'Step 2 of 3 is waiting for approval.' },
    });
    expect(await writtenOf('web')).toBe(untouched);
    expect((await act('web', 'approve', second.seen, { step: 2 })).status).toBe(400);

    expect((await untilDone(await act('web', 'approve', second.seen))).state).toBe('done');
    const third = await untilState('web', 'waiting', 3);
    const last = await untilDone(await act('web', 'approve', third.seen));
    expect(last, last.message).toMatchObject({ state: 'done', step: { from: 3, to: null } });
    const over = await untilState('web', 'completed', 3);
    const refused = await act('web', 'approve', over.seen);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.findings).toEqual([
      expect.objectContaining({ code: 'wrong_state', message: 'The rollout is finished.' }),
    ]);
    const { items } = await shiplog.get(`${pathOf('web')}/actions`);
    expect(items.map(({ action, state }: any) => `${action} ${state}`)).toEqual([
      'approve refused',
      'approve done',
      'approve done',
      // One approval that names a step, and one of a completed step.
      'approve refused',
      'approve refused',
      'approve done',
    ]);
  });

  it('a jump skips a step; pausing, resuming, disabling and enabling work midway', async ({ expect }) => {
    await create(api);
    const first = await ship(api);
    expect(actionOf(first, 'jump').steps).toEqual([1, 3]);
    const idle = await act('api', 'jump', first.seen, { step: 2, dryRun: true });
    expect(idle.body).toMatchObject({ plan: null, findings: [{ code: 'no_such_step' }] });

    const paused = await untilDone(await act('api', 'pause', first.seen));
    expect(paused, paused.message).toMatchObject({ state: 'done', action: 'pause' });
    const held = await untilState('api', 'paused', 1);
    expect(actionOf(held, 'approve')).toMatchObject({ allowed: false });
    expect((await act('api', 'approve', held.seen)).status).toBe(422);
    expect((await rolloutOf('api')).spec?.strategy).toMatchObject({ paused: true });
    expect((await untilDone(await act('api', 'resume', held.seen))).state).toBe('done');

    const resumed = await untilState('api', 'waiting', 1);
    const jumped = await untilDone(await act('api', 'jump', resumed.seen, { step: 3 }));
    expect(jumped, jumped.message).toMatchObject({ state: 'done', step: { from: 1, to: 3 } });
    const third = await untilState('api', 'waiting', 3);
    const off = await act('api', 'disable', third.seen, { dryRun: true });
    expect(off.body.findings).toContainEqual(
      expect.objectContaining({ severity: 'warning', code: 'consequence' }),
    );
    const disabled = await untilDone(await act('api', 'disable', third.seen));
    expect(disabled, disabled.message).toMatchObject({ state: 'done' });
    const enabled = await untilDone(
      await act('api', 'enable', (await untilState('api', 'disabled', 3)).seen),
    );
    expect(enabled, enabled.message).toMatchObject({ state: 'done' });
  });

  it.for<App>([
    { name: 'shop', kind: 'Deployment', style: 'canary' },
    { name: 'bulk', kind: 'CloneSet', style: 'partition' },
    { name: 'twin', kind: 'Deployment', style: 'blueGreen' },
  ])('$name, a $style rollout of a $kind, is rolled back', async (app, { expect }) => {
    const { name, kind, style } = app;
    const { resource } = kinds[kind];
    await create(app);
    const first = await ship(app);
    const own = `/api/workloads/${resource}/${NAMESPACE}/${name}`;
    const { workload } = await shiplog.get(own);
    const resumed = await shiplog.post(`${own}/pause`, { seen: workload.seen });
    expect(resumed.status).toBe(422);
    expect(resumed.body.error.message).toContain(`Rollout ${name}`);
    const approval = await act(name, 'approve', first.seen, { dryRun: true });
    expect(Object.keys(approval.body.plan.request.body.status)).toEqual([
      style === 'blueGreen' ? 'blueGreenStatus' : 'canaryStatus',
    ]);
    const approved = await untilDone(await act(name, 'approve', first.seen));
    expect(approved, approved.message).toMatchObject({ state: 'done' });

    const second = await untilState(name, 'waiting', 2);
    const tried = await act(name, 'rollback', second.seen, { dryRun: true });
    expect(tried.body).toMatchObject({ dryRun: { accepted: true }, revision: { number: 1 } });
    expect(tried.body.findings.map(({ code }: any) => code)).toContain('ends_rollout');
    expect(tried.body.diff.changes.length).toBeGreaterThan(0);
    const back = await untilDone(await act(name, 'rollback', second.seen, { toSeen: tried.body.toSeen }));
    expect(back, back.message).toMatchObject({
      state: 'done',
      resource,
      rollout: { resource: GROUP, name },
    });
    const over = await untilState(name, 'rolledBack', 2);
    expect(actionOf(over, 'approve')).toMatchObject({ allowed: false });
    const { items } = await cluster.client().list(`${PODS}?labelSelector=app=${name}`);
    const alive = (items as unknown as KubeObject[]).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    expect(alive.map(({ spec }) => (spec?.containers as { image: string }[])[0]?.image)).toEqual(
      Array.from({ length: 4 }, () => 'app:v1'),
    );
    const done = await shiplog.get(`${pathOf(name)}/actions`);
    expect(done.items.map(({ id }: any) => id)).toEqual([back.id, approved.id]);
  });

  it('a user who can patch rollouts but not their status is warned before, and refused', async ({
    expect,
  }) => {
    await create(gate);
    await ship(gate);
    const seenBy = await until('the operator sees the step', async () => {
      const rollout = await read('gate', asOperator).catch(() => undefined);
      return rollout?.state === 'waiting' && rollout;
    });
    const missing = 'operator is not allowed to patch rollouts/status in namespace rollouts.';
    expect(actionOf(seenBy, 'approve')).toMatchObject({ allowed: false, reason: missing, steps: null });
    expect(actionOf(seenBy, 'jump')).toMatchObject({ allowed: false, reason: missing });
    expect(actionOf(seenBy, 'pause')).toMatchObject({ allowed: true, reason: null });
    const before = await writtenOf('gate');
    const tried = await act('gate', 'approve', seenBy.seen, { dryRun: true }, asOperator);
    expect(tried.body).toMatchObject({ dryRun: null, findings: [{ code: 'forbidden', message: missing }] });
    const sent = await act('gate', 'approve', seenBy.seen, {}, asOperator);
    expect(sent).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect(await writtenOf('gate')).toBe(before);
    const { status } = await asOperator.post(
      `${pathOf('gate')}/pause`,
      { seen: seenBy.seen },
      { origin: 'https://elsewhere.example' },
    );
    expect(status).toBe(403);
    expect((await act('gate', 'pause', seenBy.seen, {}, asOperator)).status).toBe(200);
  });
});
