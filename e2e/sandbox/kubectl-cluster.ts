import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import type { KubeClient } from '@/e2e/controlplane/kube-client';
import { type KubectlResult, runKubectl } from '@/e2e/controlplane/kubectl';
import { startIdleWatcher } from '@/e2e/controllers/idle-watcher';
import { startSandboxCluster } from '@/e2e/controllers/sandbox-cluster';

/** A cluster from the view of a kubectl user. */
export interface KubectlCluster {
  kubectl(args: string[], options?: { user?: string; input?: string }): Promise<KubectlResult>;
  /** As a user with all rights. */
  readonly client: KubeClient;
  /** Returns when the controllers are idle: all of them, or as far as can be seen in the namespace. */
  idle(namespace: string): Promise<void>;
  stop(): Promise<void>;
}

/** The real control plane. The caller that started it stops it. */
export async function asKubectlCluster(cluster: ControlPlane): Promise<KubectlCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-kubectl-'));
  const watcher = await startIdleWatcher(cluster.kubeconfigs.admin);
  const files = new Map<string, string>(Object.entries(cluster.kubeconfigs));
  return {
    kubectl: runAs(cluster.kubectlPath, files, directory),
    client: cluster.client(),
    idle: (namespace) => watcher.settle(namespace),
    stop: async () => {
      await watcher.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A sandbox with its controllers on real time. */
export async function startKubectlSandbox(kubectlPath: string): Promise<KubectlCluster> {
  const sandbox = await startSandboxCluster(kubectlPath);
  const { api } = sandbox;
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-kubectl-'));
  const files = new Map(Object.keys(api.tokens).map((user) => [user, join(directory, user)]));
  for (const [user, file] of files) writeFileSync(file, api.kubeconfig(user), { mode: 0o600 });
  return {
    kubectl: runAs(kubectlPath, files, directory),
    client: sandbox.client(),
    idle: () => sandbox.idle(),
    stop: async () => {
      await sandbox.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** As one of the users who have a kubeconfig. */
function runAs(
  kubectlPath: string,
  kubeconfigs: ReadonlyMap<string, string>,
  directory: string,
): KubectlCluster['kubectl'] {
  return (args, { user = 'admin', input } = {}) => {
    const kubeconfig = kubeconfigs.get(user);
    if (kubeconfig === undefined) throw new RangeError(`there is no user ${user}`);
    return runKubectl(kubectlPath, kubeconfig, [`--cache-dir=${join(directory, 'cache')}`, ...args], input);
  };
}
