import { join } from 'node:path';

/** The folder of the sandbox's state, below Shiplog's data. */
export function sandboxFolder(dataDir: string): string {
  return join(dataDir, 'sandbox');
}

/** The kubeconfig of a running sandbox, in its folder. */
export function kubeconfigIn(folder: string): string {
  return join(folder, 'kubeconfig');
}

/** The folder of several sandboxes, below Shiplog's data: the archive that they share, and a data directory for each. */
export function sandboxesFolder(dataDir: string): string {
  return join(dataDir, 'sandboxes');
}

/** The clusters file of several sandboxes, in their folder. */
export function clustersFileIn(folder: string): string {
  return join(folder, 'clusters.yaml');
}
