import 'server-only';
import { AppError } from '@/lib/errors';
import { type Cluster } from '@/server/cluster/cluster';

/**
 * Id of the cluster whose part of the archive is shown: one archive may hold the records of several. Until the API
 * server has said which one it is, that is the one that the same address led to before. Throws `cluster_unreachable` where
 * it never led to any, since to find nothing would tell a lie.
 */
export function connectedCluster({ identity }: Pick<Cluster, 'identity'>): string {
  if (identity.isGuessed !== true) return identity.id;
  if (identity.formerId !== undefined) return identity.formerId;
  throw new AppError(
    'cluster_unreachable',
    `Shiplog has never reached ${identity.name} at this address, so it does not know yet which records of its archive are of this cluster. Nothing was changed. Try again once the API server answers.`,
  );
}

/**
 * Says 404 for what the archive has of another cluster: the rights that this cluster gives say nothing about it.
 * `what` begins the sentence.
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
 * Says 400 where a query names a cluster that this Shiplog is not connected to: an answer about another one than was
 * asked for would be taken for the truth. The id and the name that the pages show both pass.
 */
export function assertNamedCluster(cluster: Pick<Cluster, 'identity'>, query: URLSearchParams): void {
  const { name } = cluster.identity;
  for (const asked of query.getAll('cluster')) {
    if (asked === name) continue;
    const id = connectedCluster(cluster);
    if (asked === id) continue;
    throw new AppError(
      'bad_request',
      `cluster: This Shiplog is connected to ${name} (${id}) and to no cluster ${JSON.stringify(asked.slice(0, 200))}. Nothing was done. Leave the parameter out, or ask the Shiplog of that cluster.`,
      { field: 'cluster', known: [{ id, name }] },
    );
  }
}
