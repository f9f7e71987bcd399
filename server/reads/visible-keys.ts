import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { type ResourceType } from '@/lib/kube/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { filterAllowed, can } from '@/server/reads/rights';
import { type Viewer } from '@/server/shared/viewer';

/** The keys that the viewer can see: of what the viewer can list, with one check for each resource and namespace. */
export async function visibleKeys(
  cluster: Cluster,
  viewer: Viewer,
  keys: readonly StreamKey[],
): Promise<StreamKey[]> {
  const allowed = new Map<string, Promise<boolean>>();
  const isAllowed = ({ resource, namespace }: StreamKey): Promise<boolean> => {
    const key = `${resource} ${namespace}`;
    const known = allowed.get(key);
    if (known !== undefined) return known;
    const type = cluster.cache.kindOf(resource)?.resource ?? rolloutType(resource);
    const access =
      type === undefined ? Promise.resolve(false) : can(cluster, viewer, 'list', type, namespace);
    allowed.set(key, access);
    return access;
  };
  return filterAllowed(keys, isAllowed);
}

/** Of a rollout, or of a record that its system writes. */
function rolloutType(id: string): ResourceType | undefined {
  for (const { resource, records } of rolloutSystems) {
    if (resource.id === id) return resource;
    if (records?.resource.id === id) return records.resource;
  }
  return undefined;
}
