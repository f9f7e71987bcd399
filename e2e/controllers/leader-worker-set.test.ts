import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { type Cluster, createActor } from '@/e2e/controllers/actor';
import { LIVES } from '@/e2e/controllers/leader-worker-set-scenarios';
import { LEADER_WORKER_SETS, takeGroupSnapshot, tellOf } from '@/e2e/controllers/leader-worker-set-snapshot';
import { startSandboxCluster } from '@/e2e/controllers/sandbox-cluster';
import { type Stillness, watchStillness } from '@/e2e/controllers/stillness';
import { systemClock } from '@/server/cluster/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { createLogger } from '@/server/log';
import { type Controllers, startLeaderWorkerSetControllers } from '@/server/sandbox/controllers/controllers';
import { leaderWorkerSetCrd } from '@/server/sandbox/crds/leader-worker-set';

/** Most of the time of a life is waiting for rest. */
vi.setConfig({ maxConcurrency: 10, testTimeout: 240_000, hookTimeout: 600_000 });

interface Side {
  readonly cluster: Cluster;
  readonly stillness: Stillness;
}

let real: ControlPlane | undefined;
let transport: Transport | undefined;
let controllers: Controllers | undefined;
let sandbox: Awaited<ReturnType<typeof startSandboxCluster>> | undefined;
let sides: Side[] = [];

/** On top of the StatefulSets of a real control plane, and of the sandbox's own; on the latter alone where no other is wanted. */
beforeAll(async () => {
  const clusters: Cluster[] = [];
  if (testCluster() !== 'sandbox') {
    real = await startControlPlane({ nodes: 3 });
    clusters.push(openReal(real));
  }
  sandbox = await startSandboxCluster(real?.kubectlPath ?? 'kubectl');
  clusters.push(sandbox);
  sides = await Promise.all(
    clusters.map(async (cluster) => {
      const client = cluster.client();
      await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', leaderWorkerSetCrd);
      await waitFor(() => client.list(LEADER_WORKER_SETS), { what: 'LeaderWorkerSets are served' });
      return { cluster, stillness: await watchStillness(cluster.kubeconfig, [LEADER_WORKER_SETS]) };
    }),
  );
});

afterAll(async () => {
  await Promise.all(sides.map(({ stillness }) => stillness.close()));
  await controllers?.stop();
  await transport?.close();
  await Promise.all([real?.stop(), sandbox?.stop()]);
});

function openReal(plane: ControlPlane): Cluster {
  const kubeconfig = plane.kubeconfigs.seeder;
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [kubeconfig] });
  transport = createTransport({ credentials, readOnly: false });
  controllers = startLeaderWorkerSetControllers({
    transport,
    clock: systemClock,
    log: createLogger({ level: 'error' }),
  });
  const running = controllers;
  return {
    kubeconfig,
    client: () => plane.client(),
    kubectl: (args, options) => plane.kubectl(args, options),
    idle: () => running.idle(),
  };
}

describe.concurrent('a LeaderWorkerSet, whatever makes its pods', () => {
  test.for(LIVES)('is told as it is: $name', async ({ play, told }, { expect }) => {
    const namespace = `groups-${LIVES.findIndex((life) => life.play === play)}`;
    const [first, ...others] = await Promise.all(
      sides.map(async ({ cluster, stillness }) => {
        const actor = await createActor(cluster, stillness, namespace);
        const lines: string[] = [];
        await play(actor, async () => {
          lines.push(await tellOf(actor.client, namespace));
        });
        return { lines, left: await takeGroupSnapshot(actor.client, namespace) };
      }),
    );
    expect(first?.lines).toEqual(told);
    for (const other of others) expect(other).toEqual(first);
  });
});
