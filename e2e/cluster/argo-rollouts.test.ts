import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { installArgo } from '@/e2e/support/install-crds';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { runControllers } from '@/e2e/cluster/sandbox-controllers';
import { type ArgoDriver, createArgoDriver } from '@/e2e/support/argo-driver';
import { TIMEOUT_MS, RolloutClient } from '@/e2e/cluster/rollout-client';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordList } from '@/lib/api/records';
import type { KubeObject } from '@/lib/kube/object';
import { objectAt, textAt } from '@/lib/kube/read';
import { runArgoRollouts } from '@/sandbox/controllers/argo/argo-controller';

const GROUP = 'rollouts.argoproj.io';
vi.setConfig({ testTimeout: 3 * TIMEOUT_MS });

let cluster: ControlPlane;
let shiplog: Shiplog;
let driver: ArgoDriver;
const afterwards: (() => Promise<unknown>)[] = [];

const canRun = await needs('Argo Rollouts', 'simulatedPods');

beforeAll(async () => {
  if (!canRun) return;
  cluster = await startControlPlane();
  await installArgo(cluster.client());
  // On top of the real ReplicaSets.
  if (testCluster() === 'real') afterwards.push(runControllers(cluster, runArgoRollouts));
  driver = await createArgoDriver(cluster.client(), 'argo');
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
});

afterAll(async () => {
  await shiplog?.stop();
  for (const stop of afterwards) await stop();
  await cluster?.stop();
});

const rollouts = new RolloutClient(() => ({ shiplog, group: GROUP, namespace: driver.namespace }));
const untilState = (name: string, wanted: string) => rollouts.untilState(name, wanted);
const untilDone = (answer: Parameters<RolloutClient['untilDone']>[0]) => rollouts.untilDone(answer);
const act = (...asked: Parameters<RolloutClient['act']>) => rollouts.act(...asked);
const workloadOf = (name: string) => `/api/workloads/${GROUP}/${driver.namespace}/${name}`;

/** Numbers and former numbers of the history with their pods, newest first; the target in brackets. */
async function numbersOf(name: string): Promise<string> {
  const { revisions } = await shiplog.get(workloadOf(name));
  return revisions
    .map(({ number, alsoNumbers, target, pods }: any) => {
      const text = `${[number, ...alsoNumbers].join('+')}*${pods.total}`;
      return target ? `[${text}]` : text;
    })
    .join(' ');
}

/** "1 → 2 completed: image 1 → 2, by shiplog-seed, since version 2", the first record first. */
async function recordsOf(name: string): Promise<string[]> {
  const query = new URLSearchParams({ resource: GROUP, namespace: driver.namespace, name });
  const { items }: RecordList = await shiplog.get(`/api/records?${query}`);
  return items.toReversed().map(({ from, to, outcome, summary, actor, cause }) => {
    const way = `${from?.number ?? '–'} → ${to.number ?? '–'} ${outcome ?? 'in progress'}`;
    return `${way}: ${summary}, by ${actor?.name ?? '–'}, since ${cause ?? '–'}`;
  });
}

describe.runIf(canRun).concurrent('a Rollout of Argo', () => {
  it('has one record per rollout, with who, why and what', async ({ expect }) => {
    await driver.create('one', { strategy: { canary: { steps: [{ setWeight: 25 }, { pause: {} }] } } });
    const closed = async () => !(await recordsOf('one')).join().includes('in progress');
    await until('the first record is closed', async () => (await recordsOf('one')).length === 1 && closed());
    await driver.ship('one', '2');
    const second = await untilState('one', 'waiting 2/2');
    await untilDone(await act('one', 'approve', second.seen));
    await untilState('one', 'completed 2/2');
    const { workload, revisions } = await shiplog.get(workloadOf('one'));
    const first = revisions.find(({ number }: any) => number === 1);
    const undo = { to: first.id, seen: workload.seen, reason: 'looks bad' };
    await untilDone(await shiplog.post(`${workloadOf('one')}/rollback`, undo));
    const third = await untilState('one', 'waiting 2/2');
    await untilDone(await act('one', 'promoteFull', third.seen));
    await untilState('one', 'completed 2/2');
    await until('every record is closed', closed);
    expect(await recordsOf('one')).toEqual([
      '– → 1 completed: starts with one:1, by shiplog-seed, since version 1',
      '1 → 2 completed: image 1 → 2, by shiplog-seed, since version 2',
      '2 → 3 completed: image 2 → 1, by admin, since looks bad',
    ]);
  });

  it('goes through the steps of a canary, an abort, a retry and two rollbacks', async ({ expect }) => {
    const approval = { pause: {} };
    await driver.create('web', {
      strategy: {
        canary: {
          steps: [{ setWeight: 25 }, approval, { setWeight: 50 }, approval],
          canaryMetadata: { labels: { role: 'canary' } },
          stableMetadata: { labels: { role: 'stable' } },
        },
      },
    });
    await driver.ship('web', '2');
    const second = await untilState('web', 'waiting 2/4');
    await driver.untilSets('web', '1 v1*3, 2 v2*1');
    const tried = await act('web', 'approve', second.seen, { dryRun: true });
    expect(tried.body).toMatchObject({ applied: false, result: null, dryRun: { accepted: true } });
    expect(tried.body.plan.request).toMatchObject({
      method: 'PATCH',
      path: `${driver.pathOf('web')}/status`,
      body: { status: { pauseConditions: null } },
    });
    await untilDone(await act('web', 'approve', second.seen));
    const fourth = await untilState('web', 'waiting 4/4');
    await driver.untilSets('web', '1 v1*2, 2 v2*2');
    expect((await act('web', 'approve', second.seen)).status).toBe(409);

    await untilDone(await act('web', 'abort', fourth.seen));
    await driver.until('web', 'Degraded RolloutAborted: Rollout aborted update to revision 2 0');
    await driver.untilSets('web', '1 v1*4, 2 v2*0');
    const aborted = await untilState('web', 'failed 0/4');
    await untilDone(await act('web', 'retry', aborted.seen));
    const again = await untilState('web', 'waiting 2/4');
    await untilDone(await act('web', 'promoteFull', again.seen));
    await driver.until('web', 'Healthy 4');
    await untilState('web', 'completed 4/4');
    await driver.untilSets('web', '1 v1*0, 2 v2*4');
    await until('the first pods are gone', async () => (await numbersOf('web')) === '[2*4] 1*0');

    const { workload, revisions } = await shiplog.get(workloadOf('web'));
    const old = revisions.find(({ number }: any) => number === 1);
    const undo = { to: old.id, seen: workload.seen, reason: 'looks bad', dryRun: false };
    const undone = await shiplog.post(`${workloadOf('web')}/rollback`, undo);
    expect(await untilDone(undone)).toMatchObject({ recordedAs: 3 });
    const back = await untilState('web', 'waiting 2/4');
    await driver.untilSets('web', '2 v2*3, 3(1) v1*1');
    const labelsOf = (object: KubeObject) => objectAt(object.spec, 'template', 'metadata', 'labels');
    expect(labelsOf(await driver.read('web'))).toEqual({ app: 'web' });
    await untilDone(await act('web', 'rollback', back.seen));
    await untilState('web', 'completed 4/4');
    await driver.untilSets('web', '3(1) v1*0, 4(2) v2*4');
    expect(labelsOf(await driver.read('web'))).toEqual({ app: 'web' });
    await until('the history says so', async () => (await numbersOf('web')) === '[4+2*4] 3+1*0');
  });

  it('can be promoted, restarted, paused and resumed where it runs alongside its Deployment', async ({
    expect,
  }) => {
    await driver.create('shop', {
      strategy: {
        blueGreen: { activeService: 'active', previewService: 'preview', autoPromotionEnabled: false },
      },
    });
    const selected = async (service: string) => {
      const path = `/api/v1/namespaces/${driver.namespace}/services/${service}`;
      return textAt(
        (await cluster.client().get<KubeObject>(path)).spec,
        'selector',
        'rollouts-pod-template-hash',
      );
    };
    await driver.ship('shop', '2');
    const waiting = await untilState('shop', 'waiting 1/1');
    await driver.untilSets('shop', '1 v1*4, 2 v2*4');
    expect(await selected('active')).not.toBe(await selected('preview'));
    await untilDone(await act('shop', 'approve', waiting.seen));
    const promoted = await untilState('shop', 'completed 1/1');
    await driver.until('shop', 'Healthy');
    expect(await selected('active')).toBe(await selected('preview'));

    await untilDone(await act('shop', 'restart', promoted.seen));
    await driver.until('shop', 'Healthy');
    const { spec, status } = await driver.read('shop');
    expect(status?.restartedAt).toBe(spec?.restartAt);
    // The restart still changes its status.
    const pause = await until('it can be paused', async () => {
      const answer = await act('shop', 'pause', (await untilState('shop', 'completed 1/1')).seen);
      return answer.status !== 409 && answer;
    });
    await untilDone(pause);
    await driver.ship('shop', '3');
    await driver.until('shop', 'Paused manually paused');
    const paused = await untilState('shop', 'paused 1/1');
    expect((await act('shop', 'approve', paused.seen)).status).toBe(422);
    await untilDone(await act('shop', 'resume', paused.seen));
    await untilState('shop', 'waiting 1/1');
  });

  it('rolls back through the Deployment that it takes its template from', async ({ expect }) => {
    const labels = { app: 'ref' };
    const base = `/apis/apps/v1/namespaces/${driver.namespace}/deployments`;
    const client = cluster.client();
    const template = (version: string) => ({
      metadata: { labels },
      spec: { containers: [{ name: 'app', image: `ref:${version}` }] },
    });
    await client.create(base, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'basis' },
      spec: { replicas: 0, selector: { matchLabels: labels }, template: template('1') },
    });
    const { spec: first } = await client.get<KubeObject>(`${base}/basis`);
    await driver.create('ref', {
      template: undefined,
      workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'basis' },
      strategy: { canary: { steps: [{ setWeight: 25 }, { pause: {} }] } },
    });
    await client.patch(`${base}/basis`, { spec: { template: template('2') } });
    const waiting = await untilState('ref', 'waiting 2/2');
    await untilDone(await act('ref', 'promoteFull', waiting.seen));
    await untilState('ref', 'completed 2/2');

    const { workload, revisions } = await shiplog.get(workloadOf('ref'));
    expect(workload.images).toEqual([{ container: 'app', image: 'ref:2' }]);
    const old = revisions.find(({ number }: any) => number === 1);
    const undo = { to: old.id, seen: workload.seen, reason: 'looks bad' };
    const tried = await shiplog.post(`${workloadOf('ref')}/rollback`, { ...undo, dryRun: true });
    expect(tried.body).toMatchObject({
      diff: { summary: 'image 2 → 1' },
      dryRun: { accepted: true },
      plan: { request: { path: `${base}/basis` } },
    });
    const undone = await shiplog.post(`${workloadOf('ref')}/rollback`, {
      ...undo,
      toSeen: tried.body.toSeen,
    });
    expect(await untilDone(undone)).toMatchObject({ resource: GROUP, name: 'ref', recordedAs: 3 });
    expect((await client.get<KubeObject>(`${base}/basis`)).spec?.template).toEqual(first?.template);
    await untilState('ref', 'waiting 2/2');
    expect((await driver.read('ref')).spec).not.toHaveProperty('template');
  });
});
