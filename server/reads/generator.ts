import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { workloadDetailSchema } from '@/lib/api/workloads';
import { kindLabel } from '@/lib/kube/resource';
import type { Workload } from '@/lib/history/workload';
import type { ReadContext } from '@/server/views/context';
import { can } from '@/server/views/rights';
import type { Viewer } from '@/server/shared/viewer';

/** The generator of a workload; undefined where there is none, or none that the viewer can see. */
export async function generatorOf(
  { cluster }: Pick<ReadContext, 'cluster'>,
  viewer: Viewer,
  workload: Workload,
): Promise<Answer<typeof workloadDetailSchema>['workload']['generator']> {
  const { namespace } = workload;
  for (const kind of cluster.cache.kinds()) {
    const named = kind.generator?.of(workload) ?? null;
    if (named === null) continue;
    const { resource, name } = named;
    if (cluster.cache.workload(resource, namespace, name) === undefined) continue;
    if (await can(cluster, viewer, 'get', kind.resource, namespace, { name }))
      return { resource, kind: kindLabel(kind.resource), namespace, name };
  }
  return undefined;
}
