import { type PartialResult } from '@/lib/api/common';
import { type Cluster } from '@/server/cluster/cluster';

/**
 * What is missing of the requested resources, and why: denied, or not read yet; and what is outdated, unless everything
 * is. Without a namespace, anywhere.
 */
export function partialResources(
  { cache, connection }: Pick<Cluster, 'cache' | 'connection'>,
  isRelevant: (resource: string) => boolean,
  namespace?: string,
): PartialResult[] {
  return cache.states(namespace).flatMap(({ resource, problem, synced, behind }) => {
    if (!isRelevant(resource)) return [];
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
