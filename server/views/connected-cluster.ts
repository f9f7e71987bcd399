import 'server-only';
import { AppError } from '@/lib/errors';
import type { Cluster } from '@/server/cluster/cluster';

/**
 * Id of the cluster whose records are shown: one archive may hold several clusters. Until the API server has answered,
 * that is the cluster that had the same address before. Throws `cluster_unreachable` where the address is new, since an
 * empty answer would be wrong.
 */
export function connectedCluster({ identity }: Pick<Cluster, 'identity'>): string {
  const id = knownIdOf({ identity });
  if (id !== undefined) return id;
  throw neverReached(identity.name);
}

/** The same; undefined where the address is new. */
export function knownIdOf({ identity }: Pick<Cluster, 'identity'>): string | undefined {
  return identity.isGuessed === true ? identity.formerId : identity.id;
}

/**
 * Throws 404 for records of another cluster: the rights in this cluster do not apply to them. `what` begins the
 * sentence.
 */
export function assertConnected(cluster: Pick<Cluster, 'identity'>, id: string, what: string): void {
  if (knownIdOf(cluster) !== id) throw otherCluster(cluster, id, what);
}

/** The error for records that are not of this cluster, as far as that is known. */
export function otherCluster(cluster: Pick<Cluster, 'identity'>, id: string, what: string): AppError {
  const { name } = cluster.identity;
  if (knownIdOf(cluster) === undefined) return neverReached(name);
  return new AppError(
    'not_found',
    `${what} is of another cluster, ${id}. This Shiplog is connected to ${name}: open it in the Shiplog of the other cluster.`,
    { cluster: id },
  );
}

/** The error for what depends on the id of a cluster that was never reached at its address. */
export function neverReached(name: string): AppError {
  return new AppError(
    'cluster_unreachable',
    `Shiplog has never reached ${name} at this address, so it does not know yet which records of its archive belong to this cluster. Try again once the API server answers.`,
  );
}
