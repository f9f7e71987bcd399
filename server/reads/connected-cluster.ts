import 'server-only';
import { AppError } from '@/lib/errors';
import { type Cluster } from '@/server/cluster/cluster';

/**
 * Id of the cluster whose records are shown: one archive may hold several clusters. Until the API server has answered,
 * that is the cluster that had the same address before. Throws `cluster_unreachable` where the address is new, since an
 * empty answer would be wrong.
 */
export function connectedCluster({ identity }: Pick<Cluster, 'identity'>): string {
  if (identity.isGuessed !== true) return identity.id;
  if (identity.formerId !== undefined) return identity.formerId;
  throw new AppError(
    'cluster_unreachable',
    `Shiplog has never reached ${identity.name} at this address, so it does not know yet which records of its archive belong to this cluster. Try again once the API server answers.`,
  );
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

/**
 * Throws 400 where a query names a cluster that this Shiplog is not connected to: the answer would be about another
 * cluster. The id and the name that the pages show are both accepted.
 */
export function assertNamedCluster(cluster: Pick<Cluster, 'identity'>, query: URLSearchParams): void {
  const { name } = cluster.identity;
  for (const named of query.getAll('cluster')) {
    if (named === name) continue;
    const id = connectedCluster(cluster);
    if (named === id) continue;
    throw new AppError(
      'bad_request',
      `cluster: This Shiplog is connected to ${name} (${id}) and to no cluster ${JSON.stringify(named.slice(0, 200))}. Nothing was changed. Omit the parameter, or ask the instance of that cluster.`,
      { field: 'cluster', known: [{ id, name }] },
    );
  }
}
