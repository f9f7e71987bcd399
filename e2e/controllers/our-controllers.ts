import { type ControlPlane } from '@/e2e/controlplane/control-plane';
import { systemClock } from '@/server/cluster/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { createLogger } from '@/server/log';
import { type Controllers, startControllers } from '@/server/sandbox/controllers/controllers';
import { type PodBehaviour, type PodBehaviours } from '@/server/sandbox/controllers/kubelet/behaviour';

/** Our controllers on a cluster that has none; they can be stopped and started again. */
export interface OurControllers {
  start(): Controllers;
  stop(): Promise<void>;
  close(): Promise<void>;
}

const NODES = ['worker-1', 'worker-2', 'worker-3'].map((name) => ({
  name,
  capacity: { cpu: '64', memory: '256Gi', pods: '5000' },
}));

export function runControllers(cluster: ControlPlane): OurControllers {
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [cluster.kubeconfigs.seeder] });
  const transport: Transport = createTransport({ credentials, readOnly: false });
  const log = createLogger({ level: process.env.SHIPLOG_TEST_LOG === 'debug' ? 'debug' : 'error' });
  let running: Controllers | undefined;
  const options = {
    transport,
    clock: systemClock,
    log,
    nodes: NODES,
    podBehaviour: atOnce,
    collectGarbage: true,
  };

  return {
    start: () => (running = startControllers(options)),
    stop: async () => running?.stop(),
    close: async () => {
      await running?.stop();
      await transport.close();
    },
  };
}

/** As the simulated kubelets of the real control plane: by the tag, and without delay. */
const atOnce: PodBehaviours = (pod) => {
  const times = { startsAfterMs: 0, readyAfterMs: 0, stopsAfterMs: 0 };
  const outcomes = ['broken', 'crash', 'hang'] as const;
  const outcome = outcomes.find((name) =>
    pod.spec.containers.some(({ image }) => new RegExp(`[:-]${name}$`).test(image ?? '')),
  );
  return { outcome: outcome ?? 'ready', ...times } satisfies PodBehaviour;
};
