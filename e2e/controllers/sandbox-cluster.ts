import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeClient } from '@/e2e/controlplane/kube-client';
import { runKubectl } from '@/e2e/controlplane/kubectl';
import type { ActorCluster } from '@/e2e/controllers/actor';
import { systemClock } from '@/server/shared/clock';
import { createLogger } from '@/server/shared/log';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { startControllers } from '@/sandbox/controllers/controllers';
import { barrierOf } from '@/sandbox/controllers/runtime/controller-manager';
import type { PodBehaviour, PodBehaviours } from '@/sandbox/controllers/kubelet/behaviour';
import { createUserTransport } from '@/sandbox/actors';

const NODES = ['worker-1', 'worker-2', 'worker-3'].map((name) => ({
  name,
  capacity: { cpu: '64', memory: '256Gi', pods: '5000' },
}));
const USER = 'admin';
const MANAGER = 'system:kube-controller-manager';

/** An empty sandbox in this process, at the time of this machine, driven by the same kubectl as the real one. */
export async function startSandboxCluster(
  kubectlPath: string,
): Promise<Required<ActorCluster> & { readonly api: SandboxApi; stop(): Promise<void> }> {
  const api = await startSandboxApi();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-conformance-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, api.kubeconfig(USER), { mode: 0o600 });
  const client = kubeClient(api.url, api.tokens[USER], api.ca);
  const transport = createUserTransport(api, MANAGER);
  const controllers = startControllers({
    transport,
    clock: systemClock,
    log: createLogger({ level: 'error' }),
    nodes: NODES,
    podBehaviour: atOnce,
    barrier: barrierOf(api, MANAGER),
  });
  await controllers.idle();

  return {
    api,
    kubeconfig,
    client: () => client,
    kubectl: (args, { input } = {}) => runKubectl(kubectlPath, kubeconfig, args, input),
    idle: () => controllers.idle(),
    stop: async () => {
      await controllers.stop();
      await Promise.all([transport.close(), client.close()]);
      await api.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Like the simulated kubelets of the real control plane: by the tag, and without delay. */
const atOnce: PodBehaviours = (pod) => {
  const times = { startsAfterMs: 0, readyAfterMs: 0, stopsAfterMs: 0 };
  const outcomes = ['broken', 'crash', 'hang'] as const;
  const outcome = outcomes.find((name) =>
    pod.spec.containers.some(({ image }) => new RegExp(`[:-]${name}$`).test(image ?? '')),
  );
  return { outcome: outcome ?? 'ready', ...times } satisfies PodBehaviour;
};
