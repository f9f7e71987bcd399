import type { Answer, partialSchema } from '@/lib/api/common';
import type { Cluster } from '@/server/cluster/cluster';
import type { Keys } from '@/server/shared/keys';

/** A part that is missing or outdated, as an answer states it: its reason may quote the API server. */
export type MaskedPartial = Answer<typeof partialSchema>;

/**
 * What is missing of the requested resources, and why: denied, or not read yet; and what is outdated, unless everything
 * is. Without a namespace, anywhere.
 */
export function partialResources(
  { cluster: { cache, connection }, keys: { mask } }: { cluster: Cluster; keys: Keys },
  isRelevant: (resource: string) => boolean,
  namespace?: string,
): MaskedPartial[] {
  return cache.states(namespace).flatMap(({ resource, problem, synced, behind }) => {
    if (!isRelevant(resource)) return [];
    if (problem !== null) return [{ resource, reason: mask.text(problem) }];
    if (behind !== undefined && connection.state === 'connected')
      return [{ resource, reason: mask.text(behind.reason), asOf: new Date(behind.since).toISOString() }];
    if (synced) return [];
    const { message } = connection;
    const reason =
      message === null
        ? 'The first list is in progress.'
        : `Not listed yet: ${message} Shiplog retries automatically.`;
    return [{ resource, reason: mask.text(reason) }];
  });
}
