import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { installOam, type PlayedOam, playOam, startMetrics } from '@/e2e/support/oam';
import { PATIENCE_MS, Releases } from '@/e2e/support/releases';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { systemClock } from '@/server/cluster/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport } from '@/server/cluster/transport';
import { manifest } from '@/server/controllers/oam-rollout/testing/stage';
import { createLogger } from '@/server/log';
import { startKubevelaControllers } from '@/server/sandbox/controllers/controllers';

const GROUP = 'rollouts.standard.oam.dev';
vi.setConfig({ testTimeout: 3 * PATIENCE_MS });

let cluster: ControlPlane;
let shiplog: Shiplog;
let played: PlayedOam;
const afterwards: (() => Promise<unknown>)[] = [];

const canPlay = await needs('Rollouts of OAM', 'simulatedPods');

beforeAll(async () => {
  if (!canPlay) return;
  cluster = await startControlPlane();
  await installOam(cluster.client());
  if (testCluster() === 'real') await prepareReal();
  played = await playOam(cluster.client(), 'oam');
  const metrics = await startMetrics();
  afterwards.push(() => metrics.stop());
  shiplog = await startShiplog({
    kubeconfig: cluster.kubeconfigs.admin,
    env: {
      SHIPLOG_CONTROLLERS: 'oam-rollout',
      SHIPLOG_LEASE_NAMESPACE: played.namespace,
      SHIPLOG_PROMETHEUS_URL: metrics.url,
    },
  });
});

afterAll(async () => {
  await shiplog?.stop();
  for (const stop of afterwards) await stop();
  await cluster?.stop();
});

/** The sandbox plays Applications by itself, and has no admission policies. */
async function prepareReal(): Promise<void> {
  const [policy, binding] = manifest('policy.yaml');
  const admission = '/apis/admissionregistration.k8s.io/v1';
  await cluster.client().create(`${admission}/validatingadmissionpolicies`, policy ?? {});
  await cluster.client().create(`${admission}/validatingadmissionpolicybindings`, binding ?? {});
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [cluster.kubeconfigs.seeder] });
  const transport = createTransport({ credentials, readOnly: false });
  const log = createLogger({ level: 'error' });
  const controllers = startKubevelaControllers({ transport, clock: systemClock, log });
  afterwards.push(
    () => controllers.stop(),
    () => transport.close(),
  );
}

const releases = new Releases(() => ({ shiplog, group: GROUP, namespace: played.namespace }));
const reaches = (name: string, wanted: string) => releases.reaches(name, wanted);
const ends = (answer: Parameters<Releases['ends']>[0]) => releases.ends(answer);
const act = (...asked: Parameters<Releases['act']>) => releases.act(...asked);

describe.runIf(canPlay).concurrent('a Rollout of OAM that Shiplog runs', () => {
  it('goes through four batches, each approved, and stands still while it is paused', async ({ expect }) => {
    await played.begin('web');
    const first = await reaches('web', 'waiting 1/4');
    await played.untilPods('web', '3+1');
    const tried = await act('web', 'approve', first.seen, { dryRun: true });
    expect(tried.body).toMatchObject({ applied: false, result: null, dryRun: { accepted: true } });
    await ends(await act('web', 'approve', first.seen));
    const second = await reaches('web', 'waiting 2/4');
    await played.untilPods('web', '2+2');
    expect((await act('web', 'approve', first.seen)).status).toBe(409);

    await ends(await act('web', 'pause', second.seen));
    const paused = await reaches('web', 'paused 2/4');
    expect((await act('web', 'approve', paused.seen)).status).toBe(422);
    await ends(await act('web', 'resume', paused.seen));
    const resumed = await reaches('web', 'waiting 2/4');
    await ends(await act('web', 'approve', resumed.seen));
    const third = await reaches('web', 'waiting 3/4');
    await played.untilPods('web', '1+3');
    await ends(await act('web', 'approve', third.seen));
    await reaches('web', 'completed 4/4');
    await played.untilPods('web', '0+4');
  });

  it('fails in the batch whose metric is out of its range', async ({ expect }) => {
    const metric = await played.metric('errors', 7, { max: 1 });
    await played.begin('cart', { canaryMetric: [metric], batchPartition: 3 });
    const failed = await reaches('cart', 'failed 1/4');
    expect(failed.message).toContain('the metric errors is 7, out of its range');
    await played.untilPods('cart', '3+1');
  });

  it('brings back what was there when it is deleted midway', async () => {
    await played.begin('blog', { revertOnDelete: true });
    const waiting = await reaches('blog', 'waiting 1/4');
    await ends(await act('blog', 'approve', waiting.seen));
    const second = await reaches('blog', 'waiting 2/4');
    await played.untilPods('blog', '2+2');
    await ends(await act('blog', 'delete', second.seen));
    await played.untilGone('blog');
    await played.untilPods('blog', '4+0');
  });
});

describe.runIf(canPlay).concurrent('an Application of KubeVela', () => {
  it('is rolled back by a new publishVersion, which makes another revision', async ({ expect }) => {
    await played.apply('booking', 'first');
    await played.release('booking', 2, 'second');
    const path = `/api/workloads/applications.core.oam.dev/${played.namespace}/booking`;
    const { workload, revisions } = await until('both revisions are known', async () => {
      const found = await shiplog.get(path).catch(() => undefined);
      return found?.revisions.length === 2 && found;
    });
    const old = revisions.find(({ number }: any) => number === 1);
    const undo = { to: old.id, seen: workload.seen, reason: 'looks bad', dryRun: false };
    const answer = await shiplog.post(`${path}/rollback`, undo);
    expect(await ends(answer)).toMatchObject({ recordedAs: 3 });
    const { annotations } = (await cluster
      .client()
      .get(`/apis/core.oam.dev/v1beta1/namespaces/${played.namespace}/applications/booking`)
      .then(({ metadata }: any) => metadata)) as { annotations: Record<string, string> };
    const published = annotations['app.oam.dev/publishVersion'] ?? '';
    expect(['', 'first', 'second']).not.toContain(published);
    await played.untilRuns('booking', `v3 ${published} 1`);
  });
});
