import 'server-only';
import type { StreamKey } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import type { ResourceType } from '@/lib/kube/resource';
import type { Cluster } from '@/server/cluster/cluster';
import { listableNamespaces } from '@/server/views/rights';
import type { Viewer } from '@/server/shared/viewer';

/**
 * The keys of this cluster that the viewer can see: of what the viewer can list, with one question for each resource where
 * the viewer can list it everywhere. Throws AppError `rate_limited` before the namespaces of a viewer are all reviewed.
 */
export async function visibleKeys(
  cluster: Cluster,
  viewer: Viewer,
  keys: readonly StreamKey[],
): Promise<StreamKey[]> {
  const groups = groupsOf(keys).filter((group) => group.cluster === cluster.identity.id);
  const visible = await Promise.all(
    groups.map(async ({ resource, namespaces, own }) => {
      const type = cluster.cache.kindOf(resource)?.resource ?? rolloutType(resource);
      if (type === undefined) return [];
      const { includes, progress } = await listableNamespaces(cluster, viewer, type, namespaces);
      if (progress !== null)
        throw new AppError('rate_limited', 'Shiplog still checks what you can see. Try again soon.');
      return own.filter(({ namespace }) => includes(namespace));
    }),
  );
  return visible.flat();
}

interface KeyGroup {
  cluster: string;
  resource: string;
  namespaces: ReadonlySet<string>;
  own: readonly StreamKey[];
}

/** By the keys of a change, which are the same for each of hundreds of viewers. */
const known = new WeakMap<readonly StreamKey[], readonly KeyGroup[]>();

function groupsOf(keys: readonly StreamKey[]): readonly KeyGroup[] {
  const groups = known.get(keys) ?? groupKeys(keys);
  known.set(keys, groups);
  return groups;
}

function groupKeys(keys: readonly StreamKey[]): KeyGroup[] {
  return [...Map.groupBy(keys, ({ cluster }) => cluster)].flatMap(([cluster, its]) =>
    [...Map.groupBy(its, ({ resource }) => resource)].map(([resource, own]) => ({
      ...{ cluster, resource, own },
      namespaces: new Set(own.map(({ namespace }) => namespace)),
    })),
  );
}

/** Of a rollout, or of a record that its system writes. */
function rolloutType(id: string): ResourceType | undefined {
  for (const { resource, records } of rolloutSystems) {
    if (resource.id === id) return resource;
    if (records?.resource.id === id) return records.resource;
  }
  return undefined;
}
