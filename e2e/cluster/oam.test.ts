import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { installOam, type OamDriver, createOamDriver, startMetrics } from '@/e2e/support/oam-driver';
import { TIMEOUT_MS, RolloutClient } from '@/e2e/cluster/rollout-client';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport } from '@/server/cluster/transport';
import { manifest } from '@/server/controllers/oam-rollout/testing/test-bench';
import { createLogger } from '@/server/shared/log';
import { startManager } from '@/sandbox/controllers/controllers';
import { runKubevela } from '@/sandbox/controllers/kubevela/kubevela-controller';

const GROUP = 'rollouts.standard.oam.dev';
vi.setConfig({ testTimeout: 3 * TIMEOUT_MS });

let cluster: ControlPlane;
let shiplog: Shiplog;
let driver: OamDriver;
const afterwards: (() => Promise<unknown>)[] = [];

const canRun = await needs('Rollouts of OAM', 'simulatedPods');

beforeAll(async () => {
  if (!canRun) return;
  cluster = await startControlPlane();
  await installOam(cluster.client());
  if (testCluster() === 'real') await prepareReal();
  driver = await createOamDriver(cluster.client(), 'oam');
  const metrics = await startMetrics();
  afterwards.push(() => metrics.stop());
  shiplog = await startShiplog({
    kubeconfig: cluster.kubeconfigs.admin,
    env: {
      SHIPLOG_CONTROLLERS: 'oam-rollout',
      SHIPLOG_PROMETHEUS_URL: metrics.url,
    },
  });
});

afterAll(async () => {
  await shiplog?.stop();
  for (const stop of afterwards) await stop();
  await cluster?.stop();
});

/** The sandbox runs Applications itself, and has no admission policies. */
async function prepareReal(): Promise<void> {
  const [policy, binding] = manifest('policy.yaml');
  const admission = '/apis/admissionregistration.k8s.io/v1';
  await cluster.client().create(`${admission}/validatingadmissionpolicies`, policy ?? {});
  await cluster.client().create(`${admission}/validatingadmissionpolicybindings`, binding ?? {});
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [cluster.kubeconfigs.seeder] });
  const transport = createTransport({ credentials, readOnly: false });
  const log = createLogger({ level: 'error' });
  const controllers = startManager({ transport, clock: systemClock, log }, runKubevela);
  afterwards.push(
    () => controllers.stop(),
    () => transport.close(),
  );
}

const releases = new RolloutClient(() => ({ shiplog, group: GROUP, namespace: driver.namespace }));
const untilState = (name: string, wanted: string) => releases.untilState(name, wanted);
const untilDone = (answer: Parameters<RolloutClient['untilDone']>[0]) => releases.untilDone(answer);
const act = (...asked: Parameters<RolloutClient['act']>) => releases.act(...asked);

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
    await driver.release('booking', 2, 'second');
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
