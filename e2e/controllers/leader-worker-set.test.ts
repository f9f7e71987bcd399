import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { type Cluster, createActor } from '@/e2e/controllers/actor';
import { GROUP_SCENARIOS } from '@/e2e/controllers/leader-worker-set-scenarios';
import {
  LEADER_WORKER_SETS,
  takeGroupSnapshot,
  describeGroups,
} from '@/e2e/controllers/leader-worker-set-snapshot';
import { startSandboxCluster } from '@/e2e/controllers/sandbox-cluster';
import { type IdleWatcher, startIdleWatcher } from '@/e2e/controllers/idle-watcher';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { createLogger } from '@/server/shared/log';
import { type Controllers, startManager } from '@/sandbox/controllers/controllers';
import { runLeaderWorkerSets } from '@/sandbox/controllers/leader-worker-set/leader-worker-set-controller';
import { leaderWorkerSetCrd } from '@/sandbox/crds/leader-worker-set';

/** A script mostly waits until the cluster is idle. */
vi.setConfig({ maxConcurrency: 10, testTimeout: 240_000, hookTimeout: 600_000 });

interface Side {
  readonly cluster: Cluster;
  readonly stillness: IdleWatcher;
}

let real: ControlPlane | undefined;
let transport: Transport | undefined;
let controllers: Controllers | undefined;
let sandbox: Awaited<ReturnType<typeof startSandboxCluster>> | undefined;
let sides: Side[] = [];

/**
 * On top of the StatefulSets of a real control plane, and of the sandbox's own; only on the latter where no other is
 * required.
 */
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
      return { cluster, stillness: await startIdleWatcher(cluster.kubeconfig, [LEADER_WORKER_SETS]) };
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
  controllers = startManager(
    {
      transport,
      clock: systemClock,
      log: createLogger({ level: 'error' }),
    },
    runLeaderWorkerSets,
  );
  const running = controllers;
  return {
    kubeconfig,
    client: () => plane.client(),
    kubectl: (args, options) => plane.kubectl(args, options),
    idle: () => running.idle(),
  };
}

describe.concurrent('a LeaderWorkerSet, whichever controller creates its pods', () => {
  test.for(GROUP_SCENARIOS)('is reported correctly: $name', async ({ play, told }, { expect }) => {
    const namespace = `groups-${GROUP_SCENARIOS.findIndex((scenario) => scenario.play === play)}`;
    const [first, ...others] = await Promise.all(
      sides.map(async ({ cluster, stillness }) => {
        const actor = await createActor(cluster, stillness, namespace);
        const lines: string[] = [];
        await play(actor, async () => {
          lines.push(await describeGroups(actor.client, namespace));
        });
        return { lines, left: await takeGroupSnapshot(actor.client, namespace) };
      }),
    );
    expect(first?.lines).toEqual(told);
    for (const other of others) expect(other).toEqual(first);
  });
});
