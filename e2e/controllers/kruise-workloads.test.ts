import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { type Cluster, createActor } from '@/e2e/controllers/actor';
import { installKruise } from '@/e2e/controllers/kruise-crds';
import { KRUISE_SCENARIOS } from '@/e2e/controllers/kruise-workloads-scenarios';
import { KRUISE_WORKLOADS, takeKruiseSnapshot } from '@/e2e/controllers/kruise-workloads-snapshot';
import { startSandboxCluster } from '@/e2e/controllers/sandbox-cluster';
import { type IdleWatcher, startIdleWatcher } from '@/e2e/controllers/idle-watcher';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { createLogger } from '@/server/shared/log';
import { type Controllers, startManager } from '@/sandbox/controllers/controllers';
import { runKruise } from '@/sandbox/controllers/kruise/kruise';

/** A scenario mostly waits until the cluster is idle. */
vi.setConfig({ maxConcurrency: 20 });

interface Side {
  readonly cluster: Cluster;
  readonly stillness: IdleWatcher;
}

let real: ControlPlane;
let transport: Transport;
let controllers: Controllers;
let sandbox: Awaited<ReturnType<typeof startSandboxCluster>>;
let sides: Side[] = [];

beforeAll(async () => {
  real = await startControlPlane({ nodes: 3 });
  sandbox = await startSandboxCluster(real.kubectlPath);
  const kubeconfig = real.kubeconfigs.seeder;
  transport = createTransport({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [kubeconfig] }),
    readOnly: false,
  });
  controllers = startManager(
    {
      transport,
      clock: systemClock,
      log: createLogger({ level: 'error' }),
    },
    runKruise,
  );
  const reference: Cluster = {
    kubeconfig,
    client: () => real.client(),
    kubectl: (args, options) => real.kubectl(args, options),
    idle: () => controllers.idle(),
  };
  sides = await Promise.all(
    [reference, sandbox].map(async (cluster) => {
      // The controllers already run: that the kinds are served later is part of the test.
      await installKruise(cluster.client());
      return { cluster, stillness: await startIdleWatcher(cluster.kubeconfig, KRUISE_WORKLOADS) };
    }),
  );
});

afterAll(async () => {
  await Promise.all(sides.map(({ stillness }) => stillness.close()));
  await controllers?.stop();
  await transport?.close();
  await Promise.all([real?.stop(), sandbox?.stop()]);
});

describe.concurrent(
  'the workloads of OpenKruise have the same objects in a sandbox as in a real control plane',
  () => {
    test.for(KRUISE_SCENARIOS)('$name', async (scenario, { expect }) => {
      const namespace = `kruise-${KRUISE_SCENARIOS.indexOf(scenario)}`;
      const [expected, actual] = await Promise.all(
        sides.map(async ({ cluster, stillness }) => {
          await scenario.play(await createActor(cluster, stillness, namespace));
          return takeKruiseSnapshot(cluster.client(), namespace);
        }),
      );
      expect(actual).toEqual(expected);
    });
  },
);
