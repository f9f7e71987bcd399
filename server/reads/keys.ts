import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { rolloutSystems } from '@/lib/rollout/systems';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { filterAllowed, may } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

/** The keys that the viewer may know of: of what it may list, each resource and namespace asked for once. */
export async function visibleKeys(
  cluster: Cluster,
  viewer: Viewer,
  keys: readonly StreamKey[],
): Promise<StreamKey[]> {
  const allowed = new Map<string, Promise<boolean>>();
  const isAllowed = ({ resource, namespace }: StreamKey): Promise<boolean> => {
    const place = `${resource} ${namespace}`;
    const known = allowed.get(place);
    if (known !== undefined) return known;
    const type = cluster.cache.kindOf(resource)?.resource ?? rolloutType(resource);
    const asked = type === undefined ? Promise.resolve(false) : may(cluster, viewer, 'list', type, namespace);
    allowed.set(place, asked);
    return asked;
  };
  return filterAllowed(keys, isAllowed);
}

/** Of a rollout, or of a record that its system keeps. */
function rolloutType(id: string): ResourceType | undefined {
  for (const { resource, records } of rolloutSystems) {
    if (resource.id === id) return resource;
    if (records?.resource.id === id) return records.resource;
  }
  return undefined;
}
