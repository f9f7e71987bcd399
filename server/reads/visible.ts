import 'server-only';
import { type Partial } from '@/lib/api/common';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { listableNamespaces } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

interface Placed {
  /** Id of its resource. */
  resource: string;
  namespace: string;
}

/** Of what the cache has of these resources, that which the viewer may see, by resource; `partial` says where that is not all. */
export async function visibleOf<Entry extends Placed>(
  cluster: Cluster,
  viewer: Viewer,
  resources: readonly ResourceType[],
  entries: Iterable<Entry>,
): Promise<{ visible: Entry[]; partial: Partial[] }> {
  const byResource = new Map<string, Entry[]>(resources.map(({ id }) => [id, []]));
  for (const entry of entries) byResource.get(entry.resource)?.push(entry);
  const visible: Entry[] = [];
  const partial: Partial[] = [];
  for (const resource of resources) {
    const own = byResource.get(resource.id) ?? [];
    const namespaces = new Set(own.map(({ namespace }) => namespace));
    const isListable = await listableNamespaces(cluster, viewer, resource, namespaces);
    const readable = own.filter(({ namespace }) => isListable(namespace));
    // One by one: so many arguments as a large cluster has would be too many for one call.
    for (const entry of readable) visible.push(entry);
    if (readable.length < own.length) {
      partial.push({
        resource: resource.id,
        reason: `${viewer.name} is not allowed to list ${resource.plural} in some namespaces.`,
      });
    }
  }
  return { visible, partial };
}
