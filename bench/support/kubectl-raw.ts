import { spawn } from 'node:child_process';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';

/** The collections that Shiplog lists at its start. */
const PATHS = [
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/statefulsets',
  '/apis/apps/v1/daemonsets',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/controllerrevisions',
  '/api/v1/pods',
  '/api/v1/events',
];

/** Lists what Shiplog lists, one `kubectl get --raw` after the other, with the output discarded. */
export async function listWithKubectl(cluster: ControlPlane): Promise<void> {
  for (const path of PATHS) await runSilently(cluster, ['get', '--raw', path]);
}

/** Runs kubectl without reading its output, which would cost the bench more than kubectl. */
export function runSilently(cluster: ControlPlane, args: string[]): Promise<void> {
  const child = spawn(cluster.kubectlPath, args, {
    stdio: 'ignore',
    env: { ...process.env, KUBECONFIG: cluster.kubeconfigs.admin, KUBECTL_KUBERC: 'false' },
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`kubectl ${args.join(' ')} ended with code ${code}.`)),
    );
  });
}
