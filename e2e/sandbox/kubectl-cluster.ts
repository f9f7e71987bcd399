import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane } from '@/e2e/controlplane/running-cluster';
import { type KubeClient, kubeClient } from '@/e2e/controlplane/kube-client';
import { type KubectlResult, runKubectl } from '@/e2e/controlplane/kubectl';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport } from '@/server/cluster/transport';
import { createLogger } from '@/server/shared/log';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { startControllers } from '@/sandbox/controllers/controllers';
import { type PodBehaviour, type PodBehaviours } from '@/sandbox/controllers/kubelet/behaviour';

/** A cluster from the view of a kubectl user. */
export interface KubectlCluster {
  kubectl(args: string[], options?: { user?: string; input?: string }): Promise<KubectlResult>;
  /** As a user with all rights. */
  readonly client: KubeClient;
  stop(): Promise<void>;
}

/** The real control plane. The caller that started it stops it. */
export function asKubectlCluster(cluster: ControlPlane): KubectlCluster {
  const cache = mkdtempSync(join(tmpdir(), 'shiplog-kubectl-'));

  return {
    kubectl: (args, { user = 'admin', input } = {}) => {
      const kubeconfig = Object.entries(cluster.kubeconfigs).find(([name]) => name === user)?.[1];
      if (kubeconfig === undefined) throw new RangeError(`there is no user ${user}`);

      return runKubectl(cluster.kubectlPath, kubeconfig, [`--cache-dir=${cache}`, ...args], input);
    },
    client: cluster.client(),
    stop: () => Promise.resolve(rmSync(cache, { recursive: true, force: true })),
  };
}

/** A sandbox with its controllers on real time, and the nodes of the tests' real control plane. */
export async function startSandboxCluster(kubectl: string): Promise<KubectlCluster> {
  const api = await startSandboxApi();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-kubectl-'));
  // Written once: a command may be reading it.
  const kubeconfigs = new Map(
    Object.keys(api.tokens).map((user) => [user, writeConfig(directory, api, user)]),
  );
  const kubeconfig = (user: string) => {
    const file = kubeconfigs.get(user);
    if (file === undefined) throw new RangeError(`the sandbox has no user ${user}`);
    return file;
  };
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [kubeconfig('seeder')] });
  const transport = createTransport({ credentials, readOnly: false });
  const controllers = startControllers({
    transport,
    clock: systemClock,
    log: createLogger({ level: 'error' }),
    nodes: ['worker-1', 'worker-2', 'worker-3'].map((name) => ({
      name,
      capacity: { cpu: '64', memory: '256Gi', pods: '5000' },
    })),
    podBehaviour: atOnce,
  });
  const client = kubeClient(api.url, api.tokens.seeder ?? '', api.ca);
  await controllers.idle();

  return {
    kubectl: (args, { user = 'admin', input } = {}) =>
      runKubectl(kubectl, kubeconfig(user), [`--cache-dir=${join(directory, 'cache')}`, ...args], input),
    client,
    stop: async () => {
      await controllers.stop();
      await Promise.all([transport.close(), client.close()]);
      await api.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function writeConfig(directory: string, api: SandboxApi, user: string): string {
  const file = join(directory, `${user}.kubeconfig`);
  writeFileSync(file, api.kubeconfig(user), { mode: 0o600 });

  return file;
}

/** Like the simulated kubelets of the real control plane: by the tag, and without delay. */
const atOnce: PodBehaviours = (pod) => {
  const outcomes = ['broken', 'crash', 'hang'] as const;
  const outcome = outcomes.find((name) =>
    pod.spec.containers.some(({ image = '' }) => new RegExp(`[:-]${name}$`).test(image)),
  );

  return {
    outcome: outcome ?? 'ready',
    startsAfterMs: 0,
    readyAfterMs: 0,
    stopsAfterMs: 0,
  } satisfies PodBehaviour;
};
