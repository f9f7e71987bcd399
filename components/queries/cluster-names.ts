import { type ClusterItem } from '@/lib/api/cluster';
import { nameKey } from '@/lib/kube/name-key';

type Named = Pick<ClusterItem, 'id' | 'name'>;

/** Names of the connected clusters by their ids. */
let names: ReadonlyMap<string, string> = new Map();

/** Every answer that lists the clusters is to be noted: paths are also made outside components. */
export function noteClusters(items: readonly Named[]): void {
  names = new Map(items.map(({ id, name }) => [id, name]));
}

/**
 * How addresses, requests and keys name the cluster of an object, given by id or name: by its name, and not at all
 * where there is only one. One that is not connected keeps what it was given by, so that nothing leads to another.
 */
export function clusterParam(cluster: string | undefined): string | undefined {
  if (cluster === undefined || names.size === 0) return undefined;
  const isOnly = names.size === 1 && [...names].flat().includes(cluster);
  return isOnly ? undefined : (names.get(cluster) ?? cluster);
}

/** As the key of an object by its name, with its cluster in front where there are several. */
export function objectKey(ref: Parameters<typeof nameKey>[0] & { cluster?: string | undefined }): string {
  const cluster = clusterParam(ref.cluster);
  return cluster === undefined ? nameKey(ref) : `${cluster}/${nameKey(ref)}`;
}
