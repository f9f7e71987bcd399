import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { runControllers } from '@/e2e/cluster/sandbox-controllers';
import { carryOutRollouts, createOamDriver, installOam, type OamDriver } from '@/e2e/support/oam-driver';
import { TIMEOUT_MS, RolloutClient } from '@/e2e/cluster/rollout-client';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { KubeObject } from '@/lib/kube/object';
import { objectsAt, textAt } from '@/lib/kube/read';
import { runKubevela } from '@/sandbox/controllers/kubevela/kubevela-controller';

const GROUP = 'rollouts.standard.oam.dev';
vi.setConfig({ testTimeout: 3 * TIMEOUT_MS });

let cluster: ControlPlane;
let shiplog: Shiplog;
let driver: OamDriver;
/** The controller as a Shiplog reports it that runs before there is an admission policy. */
let stopped: { state: string; problem: string };
const afterwards: (() => Promise<unknown>)[] = [];

const canRun = await needs('Rollouts of OAM', 'simulatedPods');

beforeAll(async () => {
  if (!canRun) return;
  cluster = await startControlPlane();
  await installOam(cluster.client());
  if (testCluster() === 'real') afterwards.push(runControllers(cluster, runKubevela));
  driver = await createOamDriver(cluster.client(), 'oam');
  const without = await startShiplog({
    kubeconfig: cluster.kubeconfigs.admin,
    env: { SHIPLOG_CONTROLLERS: 'oam-rollout', SHIPLOG_LEASE_NAMESPACE: driver.namespace },
  });
  stopped = await until('the controller without a policy tells its state', async () => {
    const [controller] = (await without.get('/api/cluster')).controllers;
    return controller?.state !== 'starting' && controller;
  });
  await without.stop();
  const carriedOut = await carryOutRollouts(cluster);
  afterwards.push(() => carriedOut.stop());
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, env: carriedOut.env });
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

it.runIf(canRun)(
  'the controller does not act where there is no admission policy, and tells why',
  ({ expect }) => {
    const problem =
      testCluster() === 'sandbox' ? 'Kubernetes 1.30' : 'has no ValidatingAdmissionPolicy with the rules';
    expect(stopped).toMatchObject({ state: 'stopped', problem: expect.stringContaining(problem) as string });
  },
);

describe.runIf(canRun).concurrent('a Rollout of OAM that Shiplog runs', () => {
  it('goes through four batches, each approved, and does not move while it is paused', async ({ expect }) => {
    await driver.begin('web');
    const first = await untilState('web', 'waiting 1/4');
    await driver.untilPods('web', '3+1');
    const tried = await act('web', 'approve', first.seen, { dryRun: true });
    expect(tried.body).toMatchObject({ applied: false, result: null, dryRun: { accepted: true } });
    await untilDone(await act('web', 'approve', first.seen));
    const second = await untilState('web', 'waiting 2/4');
    await driver.untilPods('web', '2+2');
    expect((await act('web', 'approve', first.seen)).status).toBe(409);

    await untilDone(await act('web', 'pause', second.seen));
    const paused = await untilState('web', 'paused 2/4');
    expect((await act('web', 'approve', paused.seen)).status).toBe(422);
    await untilDone(await act('web', 'resume', paused.seen));
    const resumed = await untilState('web', 'waiting 2/4');
    await untilDone(await act('web', 'approve', resumed.seen));
    const third = await untilState('web', 'waiting 3/4');
    await driver.untilPods('web', '1+3');
    await untilDone(await act('web', 'approve', third.seen));
    await untilState('web', 'completed 4/4');
    await driver.untilPods('web', '0+4');
  });

  it('fails in the batch whose metric is out of range', async ({ expect }) => {
    const metric = await driver.metric('errors', 7, { max: 1 });
    await driver.begin('cart', { canaryMetric: [metric], batchPartition: 3 });
    const failed = await untilState('cart', 'failed 1/4');
    expect(failed.message).toContain('metric errors = 7 (limit ≤ 1)');
    await driver.untilPods('cart', '3+1');
  });

  // The sandbox plays its controller without a network.
  it.runIf(testCluster() !== 'sandbox')(
    'waits where its webhook goes to a host that is not listed',
    async ({ expect }) => {
      const webhook = { type: 'initialize-rollout', name: 'gate', url: 'http://169.254.169.254/latest' };
      await driver.begin('gated', { rolloutWebhooks: [webhook] });
      const message = await until('the Rollout tells what it waits for', async () => {
        const { status } = await cluster.client().get<KubeObject>(driver.pathOf('gated'));
        const texts = objectsAt(status, 'conditions').map((condition) => textAt(condition, 'message') ?? '');
        return texts.find((text) => text.includes('gate was not called'));
      });
      expect(message).toContain('SHIPLOG_OAM_WEBHOOK_HOSTS of Shiplog does not list 169.254.169.254');
      await driver.untilPods('gated', '4+0');
    },
  );

  it('restores the source when it is deleted midway', async () => {
    await driver.begin('blog', { revertOnDelete: true });
    const waiting = await untilState('blog', 'waiting 1/4');
    await untilDone(await act('blog', 'approve', waiting.seen));
    const second = await untilState('blog', 'waiting 2/4');
    await driver.untilPods('blog', '2+2');
    await untilDone(await act('blog', 'delete', second.seen));
    await driver.untilGone('blog');
    await driver.untilPods('blog', '4+0');
  });
});

describe.runIf(canRun).concurrent('an Application of KubeVela', () => {
  it('is rolled back by a new publishVersion, which creates another revision', async ({ expect }) => {
    await driver.apply('booking', 'first');
    await driver.ship('booking', 2, 'second');
    const path = `/api/workloads/applications.core.oam.dev/${driver.namespace}/booking`;
    const { workload, revisions } = await until('both revisions are known', async () => {
      const found = await shiplog.get(path).catch(() => undefined);
      return found?.revisions.length === 2 && found;
    });
    const old = revisions.find(({ number }: any) => number === 1);
    const undo = { to: old.id, seen: workload.seen, reason: 'looks bad', dryRun: false };
    const answer = await shiplog.post(`${path}/rollback`, undo);
    expect(await untilDone(answer)).toMatchObject({ recordedAs: 3 });
    const { annotations } = (await cluster
      .client()
      .get(`/apis/core.oam.dev/v1beta1/namespaces/${driver.namespace}/applications/booking`)
      .then(({ metadata }: any) => metadata)) as { annotations: Record<string, string> };
    const published = annotations['app.oam.dev/publishVersion'] ?? '';
    expect(['', 'first', 'second']).not.toContain(published);
    await driver.untilRuns('booking', `v3 ${published} 1`);
  });
});
