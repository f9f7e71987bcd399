import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { type ActorCluster, ClusterActor } from '@/e2e/controllers/actor';
import { startSandboxCluster } from '@/e2e/controllers/sandbox-cluster';
import { SCENARIOS } from '@/e2e/controllers/scenarios';
import { takeSnapshot } from '@/e2e/controllers/snapshot';
import { type IdleWatcher, startIdleWatcher } from '@/e2e/controllers/idle-watcher';

/** A scenario mostly waits until the cluster is idle. */
vi.setConfig({ maxConcurrency: 12 });

const CONVERGES = { timeout: 30_000, interval: 1_000 };

interface Side {
  readonly cluster: ActorCluster;
  readonly stillness: IdleWatcher;
}

let real: ControlPlane;
let sandbox: Awaited<ReturnType<typeof startSandboxCluster>>;
let sides: Side[] = [];

beforeAll(async () => {
  real = await startControlPlane({ nodes: 3 });
  sandbox = await startSandboxCluster(real.kubectlPath);
  const reference: ActorCluster = {
    kubeconfig: real.kubeconfigs.seeder,
    client: () => real.client(),
    kubectl: (args, options) => real.kubectl(args, options),
  };
  sides = await Promise.all(
    [reference, sandbox].map(async (cluster) => ({
      cluster,
      stillness: await startIdleWatcher(cluster.kubeconfig),
    })),
  );
});

afterAll(async () => {
  await Promise.all(sides.map(({ stillness }) => stillness.close()));
  await Promise.all([real?.stop(), sandbox?.stop()]);
});

describe.concurrent('the sandbox leaves behind what a real control plane leaves behind', () => {
  test.for(SCENARIOS)('%s', async ([name, steps], { expect }) => {
    const namespace = `scenario-${SCENARIOS.findIndex(([other]) => other === name)}`;
    const said = await Promise.all(
      sides.map(({ cluster, stillness }) => new ClusterActor(cluster, stillness, namespace).play(steps)),
    );
    expect(said[1]).toEqual(said[0]);
    // On a busy machine a controller may pause for longer than a namespace is watched for idleness.
    await vi.waitFor(async () => {
      const [expected, actual] = await Promise.all(
        sides.map(({ cluster }) => takeSnapshot(cluster.client(), namespace)),
      );
      expect(actual).toEqual(expected);
    }, CONVERGES);
  });
});
