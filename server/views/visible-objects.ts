import 'server-only';
import type { ResourceType } from '@/lib/kube/resource';
import type { ReadContext } from '@/server/views/context';
import type { MaskedPartial } from '@/server/views/partial';
import { listableNamespaces, missingNamespaces } from '@/server/views/rights';
import type { Viewer } from '@/server/shared/viewer';

interface NamespacedEntry {
  /** Id of its resource. */
  resource: string;
  namespace: string;
}

/**
 * What the viewer can see of the cache's objects of these resources, by resource; `partial` states where that is not
 * all.
 */
export async function visibleOf<Entry extends NamespacedEntry>(
  { cluster, keys }: Pick<ReadContext, 'cluster' | 'keys'>,
  viewer: Viewer,
  resources: readonly ResourceType[],
  entries: Iterable<Entry>,
): Promise<{ visible: Entry[]; partial: MaskedPartial[] }> {
  const byResource = new Map<string, Entry[]>(resources.map(({ id }) => [id, []]));
  for (const entry of entries) byResource.get(entry.resource)?.push(entry);
  // Of what has no objects there is nothing to see, so no right is reviewed.
  const present = resources.filter(({ id }) => byResource.get(id)?.length !== 0);
  const visible: Entry[] = [];
  const partial: MaskedPartial[] = [];
  // All at once: each may take a moment.
  const parts = await Promise.all(
    present.map(async (resource) => {
      const own = byResource.get(resource.id) ?? [];
      const namespaces = new Set(own.map(({ namespace }) => namespace));
      return { resource, own, ...(await listableNamespaces(cluster, viewer, resource, namespaces)) };
    }),
  );
  for (const { resource, own, includes, progress } of parts) {
    const readable = own.filter(({ namespace }) => includes(namespace));
    // One by one: a large cluster has too many for the arguments of one call.
    for (const entry of readable) visible.push(entry);
    if (readable.length < own.length) {
      const { reason, ...progressing } = missingNamespaces(viewer, resource.plural, progress);
      partial.push({ resource: resource.id, reason: keys.mask.text(reason), ...progressing });
    }
  }
  return { visible, partial };
}
