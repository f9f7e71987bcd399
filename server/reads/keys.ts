import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { rolloutSystems } from '@/lib/rollout/systems';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { may } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

/** The keys that the viewer may know of. Reviews are kept, so a storm asks once per namespace. */
export async function visibleKeys(
  cluster: Cluster,
  viewer: Viewer,
  keys: readonly StreamKey[],
): Promise<StreamKey[]> {
  const allowed = await Promise.all(
    keys.map(async ({ resource, namespace }) => {
      const type = cluster.cache.kindOf(resource)?.resource ?? rolloutType(resource);
      if (type === undefined) return false;
      return (
        (await may(cluster, viewer, 'get', type)) || (await may(cluster, viewer, 'get', type, namespace))
      );
    }),
  );
  return keys.filter((_, index) => allowed[index]);
}

/** Of a rollout, or of a record that its system keeps. */
function rolloutType(id: string): ResourceType | undefined {
  for (const { resource, records } of rolloutSystems) {
    if (resource.id === id) return resource;
    if (records?.resource.id === id) return records.resource;
  }
  return undefined;
}
