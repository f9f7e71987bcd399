import { join } from 'node:path';

/** The folder of the sandbox's state, below Shiplog's data. */
export function sandboxFolder(dataDir: string): string {
  return join(dataDir, 'sandbox');
}

/** The kubeconfig of a running sandbox, in its folder. */
export function kubeconfigIn(folder: string): string {
  return join(folder, 'kubeconfig');
}
