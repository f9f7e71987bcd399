import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { installArgo } from '@/e2e/controllers/argo-crds';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type PlayedRollouts, playRollouts } from '@/e2e/support/argo-rollouts';
import { PATIENCE_MS, Releases } from '@/e2e/support/releases';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { type RecordList } from '@/lib/api/records';
import { type KubeObject } from '@/lib/kube/object';
import { objectAt, textAt } from '@/lib/workloads/read';
import { systemClock } from '@/server/cluster/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport } from '@/server/cluster/transport';
import { createLogger } from '@/server/log';
import { startArgoControllers } from '@/server/sandbox/controllers/controllers';

const GROUP = 'rollouts.argoproj.io';
vi.setConfig({ testTimeout: 3 * PATIENCE_MS });

let cluster: ControlPlane;
let shiplog: Shiplog;
let played: PlayedRollouts;
const afterwards: (() => Promise<unknown>)[] = [];

const canPlay = await needs('Argo Rollouts', 'simulatedPods');

beforeAll(async () => {
  if (!canPlay) return;
  cluster = await startControlPlane();
  await installArgo(cluster.client());
  if (testCluster() === 'real') playArgo();
  played = await playRollouts(cluster.client(), 'argo');
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
});

afterAll(async () => {
  await shiplog?.stop();
  for (const stop of afterwards) await stop();
  await cluster?.stop();
});

/** On top of the real ReplicaSets; the sandbox plays Argo Rollouts by itself. */
function playArgo(): void {
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [cluster.kubeconfigs.seeder] });
  const transport = createTransport({ credentials, readOnly: false });
  const log = createLogger({ level: 'error' });
  const controllers = startArgoControllers({ transport, clock: systemClock, log });
  afterwards.push(
    () => controllers.stop(),
    () => transport.close(),
  );
}

const releases = new Releases(() => ({ shiplog, group: GROUP, namespace: played.namespace }));
const reaches = (name: string, wanted: string) => releases.reaches(name, wanted);
const ends = (answer: Parameters<Releases['ends']>[0]) => releases.ends(answer);
const act = (...asked: Parameters<Releases['act']>) => releases.act(...asked);
const workloadOf = (name: string) => `/api/workloads/${GROUP}/${played.namespace}/${name}`;

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
  const query = new URLSearchParams({ resource: GROUP, namespace: played.namespace, name });
  const { items }: RecordList = await shiplog.get(`/api/records?${query}`);
  return items.toReversed().map(({ from, to, outcome, summary, actor, cause }) => {
    const way = `${from?.number ?? '–'} → ${to.number ?? '–'} ${outcome ?? 'in progress'}`;
    return `${way}: ${summary}, by ${actor?.name ?? '–'}, since ${cause ?? '–'}`;
  });
}

describe.runIf(canPlay).concurrent('a Rollout of Argo', () => {
  it('has one record for each release, with who, why and what', async ({ expect }) => {
    await played.create('one', { strategy: { canary: { steps: [{ setWeight: 25 }, { pause: {} }] } } });
    const closed = async () => !(await recordsOf('one')).join().includes('in progress');
    await until('the first record is closed', async () => (await recordsOf('one')).length === 1 && closed());
    await played.release('one', '2');
    const second = await reaches('one', 'waiting 2/2');
    await ends(await act('one', 'approve', second.seen));
    await reaches('one', 'completed 2/2');
    const { workload, revisions } = await shiplog.get(workloadOf('one'));
    const first = revisions.find(({ number }: any) => number === 1);
    const undo = { to: first.id, seen: workload.seen, reason: 'looks bad' };
    await ends(await shiplog.post(`${workloadOf('one')}/rollback`, undo));
    const third = await reaches('one', 'waiting 2/2');
    await ends(await act('one', 'promoteFull', third.seen));
    await reaches('one', 'completed 2/2');
    await until('every record is closed', closed);
    expect(await recordsOf('one')).toEqual([
      '– → 1 completed: starts with one:1, by shiplog-seed, since version 1',
      '1 → 2 completed: image 1 → 2, by shiplog-seed, since version 2',
      '2 → 3 completed: image 2 → 1, by admin, since looks bad',
    ]);
  });

  it('takes a canary through its steps, an abort, a retry and two ways back', async ({ expect }) => {
    const approval = { pause: {} };
    await played.create('web', {
      strategy: {
        canary: {
          steps: [{ setWeight: 25 }, approval, { setWeight: 50 }, approval],
          canaryMetadata: { labels: { role: 'canary' } },
          stableMetadata: { labels: { role: 'stable' } },
        },
      },
    });
    await played.release('web', '2');
    const second = await reaches('web', 'waiting 2/4');
    await played.untilSets('web', '1 v1*3, 2 v2*1');
    const tried = await act('web', 'approve', second.seen, { dryRun: true });
    expect(tried.body).toMatchObject({ applied: false, result: null, dryRun: { accepted: true } });
    expect(tried.body.plan.request).toMatchObject({
      method: 'PATCH',
      path: `${played.pathOf('web')}/status`,
      body: { status: { pauseConditions: null } },
    });
    await ends(await act('web', 'approve', second.seen));
    const fourth = await reaches('web', 'waiting 4/4');
    await played.untilSets('web', '1 v1*2, 2 v2*2');
    expect((await act('web', 'approve', second.seen)).status).toBe(409);

    await ends(await act('web', 'abort', fourth.seen));
    await played.until('web', 'Degraded RolloutAborted: Rollout aborted update to revision 2 0');
    await played.untilSets('web', '1 v1*4, 2 v2*0');
    const aborted = await reaches('web', 'failed 0/4');
    await ends(await act('web', 'retry', aborted.seen));
    const again = await reaches('web', 'waiting 2/4');
    await ends(await act('web', 'promoteFull', again.seen));
    await played.until('web', 'Healthy 4');
    await reaches('web', 'completed 4/4');
    await played.untilSets('web', '1 v1*0, 2 v2*4');
    await until('the first pods are gone', async () => (await numbersOf('web')) === '[2*4] 1*0');

    const { workload, revisions } = await shiplog.get(workloadOf('web'));
    const old = revisions.find(({ number }: any) => number === 1);
    const undo = { to: old.id, seen: workload.seen, reason: 'looks bad', dryRun: false };
    const undone = await shiplog.post(`${workloadOf('web')}/rollback`, undo);
    expect(await ends(undone)).toMatchObject({ recordedAs: 3 });
    const back = await reaches('web', 'waiting 2/4');
    await played.untilSets('web', '2 v2*3, 3(1) v1*1');
    const labelsOf = (object: KubeObject) => objectAt(object.spec, 'template', 'metadata', 'labels');
    expect(labelsOf(await played.read('web'))).toEqual({ app: 'web' });
    await ends(await act('web', 'rollback', back.seen));
    await reaches('web', 'completed 4/4');
    await played.untilSets('web', '3(1) v1*0, 4(2) v2*4');
    expect(labelsOf(await played.read('web'))).toEqual({ app: 'web' });
    await until('the history says so', async () => (await numbersOf('web')) === '[4+2*4] 3+1*0');
  });

  it('is promoted, restarted, paused and resumed where it stands beside itself', async ({ expect }) => {
    await played.create('shop', {
      strategy: {
        blueGreen: { activeService: 'active', previewService: 'preview', autoPromotionEnabled: false },
      },
    });
    const selected = async (service: string) => {
      const path = `/api/v1/namespaces/${played.namespace}/services/${service}`;
      return textAt(
        (await cluster.client().get<KubeObject>(path)).spec,
        'selector',
        'rollouts-pod-template-hash',
      );
    };
    await played.release('shop', '2');
    const waiting = await reaches('shop', 'waiting 1/1');
    await played.untilSets('shop', '1 v1*4, 2 v2*4');
    expect(await selected('active')).not.toBe(await selected('preview'));
    await ends(await act('shop', 'approve', waiting.seen));
    const promoted = await reaches('shop', 'completed 1/1');
    await played.until('shop', 'Healthy');
    expect(await selected('active')).toBe(await selected('preview'));

    await ends(await act('shop', 'restart', promoted.seen));
    await played.until('shop', 'Healthy');
    const { spec, status } = await played.read('shop');
    expect(status?.restartedAt).toBe(spec?.restartAt);
    const settled = await reaches('shop', 'completed 1/1');
    await ends(await act('shop', 'pause', settled.seen));
    await played.release('shop', '3');
    await played.until('shop', 'Paused manually paused');
    const paused = await reaches('shop', 'paused 1/1');
    expect((await act('shop', 'approve', paused.seen)).status).toBe(422);
    await ends(await act('shop', 'resume', paused.seen));
    await reaches('shop', 'waiting 1/1');
  });

  it('goes back by the Deployment that it takes its template from', async ({ expect }) => {
    const labels = { app: 'ref' };
    const base = `/apis/apps/v1/namespaces/${played.namespace}/deployments`;
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
    await played.create('ref', {
      template: undefined,
      workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'basis' },
      strategy: { canary: { steps: [{ setWeight: 25 }, { pause: {} }] } },
    });
    await client.patch(`${base}/basis`, { spec: { template: template('2') } });
    const waiting = await reaches('ref', 'waiting 2/2');
    await ends(await act('ref', 'promoteFull', waiting.seen));
    await reaches('ref', 'completed 2/2');

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
    expect(await ends(undone)).toMatchObject({ resource: GROUP, name: 'ref', recordedAs: 3 });
    expect((await client.get<KubeObject>(`${base}/basis`)).spec?.template).toEqual(first?.template);
    await reaches('ref', 'waiting 2/2');
    expect((await played.read('ref')).spec).not.toHaveProperty('template');
  });
});
