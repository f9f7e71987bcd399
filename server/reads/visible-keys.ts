import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { type ResourceType } from '@/lib/kube/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { listableNamespaces } from '@/server/reads/rights';
import { type Viewer } from '@/server/shared/viewer';

/**
 * The keys that the viewer can see: of what the viewer can list, with one question for each resource where the viewer
 * can list it everywhere. Throws AppError `rate_limited` before the namespaces of a viewer are all reviewed.
 */
export async function visibleKeys(
  cluster: Cluster,
  viewer: Viewer,
  keys: readonly StreamKey[],
): Promise<StreamKey[]> {
  const isVisible = new Map<string, (namespace: string) => boolean>();
  await Promise.all(
    [...Map.groupBy(keys, ({ resource }) => resource)].map(async ([resource, own]) => {
      const type = cluster.cache.kindOf(resource)?.resource ?? rolloutType(resource);
      if (type === undefined) return;
      const namespaces = own.map(({ namespace }) => namespace);
      const { includes, progress } = await listableNamespaces(cluster, viewer, type, namespaces);
      if (progress !== null)
        throw new AppError('rate_limited', 'Shiplog still checks what you can see. Try again soon.');
      isVisible.set(resource, includes);
    }),
  );
  return keys.filter(({ resource, namespace }) => isVisible.get(resource)?.(namespace) === true);
}

/** Of a rollout, or of a record that its system writes. */
function rolloutType(id: string): ResourceType | undefined {
  for (const { resource, records } of rolloutSystems) {
    if (resource.id === id) return resource;
    if (records?.resource.id === id) return records.resource;
  }
  return undefined;
}
