import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { kindOf } from '@/lib/workloads/table';
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
      const kind = kindOf(resource);
      if (kind === undefined) return false;
      return (
        (await may(cluster, viewer, 'get', kind.resource)) ||
        (await may(cluster, viewer, 'get', kind.resource, namespace))
      );
    }),
  );
  return keys.filter((_, index) => allowed[index]);
}
