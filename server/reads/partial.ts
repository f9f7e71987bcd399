import { type Partial } from '@/lib/api/common';
import { type Cluster } from '@/server/cluster/cluster';

/**
 * What is missing of the wanted resources, and why: refused, or not read yet; and what is only as of an earlier time,
 * unless everything is. Without a namespace, anywhere.
 */
export function missingParts(
  { cache, connection }: Pick<Cluster, 'cache' | 'connection'>,
  isWanted: (resource: string) => boolean,
  namespace?: string,
): Partial[] {
  return cache.states(namespace).flatMap(({ resource, problem, synced, behind }) => {
    if (!isWanted(resource)) return [];
    if (problem !== null) return [{ resource, reason: problem }];
    if (behind !== undefined && connection.state === 'connected')
      return [{ resource, reason: behind.reason, asOf: new Date(behind.since).toISOString() }];
    if (synced) return [];
    const { message } = connection;
    const reason =
      message === null
        ? 'The first list is still on its way.'
        : `Not read yet: ${message} Shiplog keeps trying.`;
    return [{ resource, reason }];
  });
}
