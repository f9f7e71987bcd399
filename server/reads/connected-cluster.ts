import 'server-only';
import { AppError } from '@/lib/errors';
import { type Cluster } from '@/server/cluster/cluster';

/**
 * Id of the cluster whose records are shown: one archive may hold several clusters. Until the API server has answered,
 * that is the cluster that had the same address before. Throws `cluster_unreachable` where the address is new, since an
 * empty answer would be wrong.
 */
export function connectedCluster({ identity }: Pick<Cluster, 'identity'>): string {
  const id = knownIdOf({ identity });
  if (id !== undefined) return id;
  throw new AppError(
    'cluster_unreachable',
    `Shiplog has never reached ${identity.name} at this address, so it does not know yet which records of its archive belong to this cluster. Try again once the API server answers.`,
  );
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
  if (connectedCluster(cluster) === id) return;
  const { name } = cluster.identity;
  throw new AppError(
    'not_found',
    `${what} is of another cluster, ${id}. This Shiplog is connected to ${name}: open it in the Shiplog of the other cluster.`,
    { cluster: id },
  );
}
