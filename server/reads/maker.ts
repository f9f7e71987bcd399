import 'server-only';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { kindLabel } from '@/lib/workloads/resource';
import { type Workload } from '@/lib/workloads/workload';
import { type ReadContext } from '@/server/reads/context';
import { may } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

/** The workload that another one was made for; undefined where there is none, or none that the viewer may see. */
export async function makerOf(
  { cluster }: Pick<ReadContext, 'cluster'>,
  viewer: Viewer,
  workload: Workload,
): Promise<WorkloadDetail['workload']['maker']> {
  const { namespace } = workload;
  for (const kind of cluster.cache.kinds()) {
    const named = kind.makerOf?.(workload) ?? null;
    if (named === null) continue;
    const { resource, name } = named;
    if (cluster.cache.workload(resource, namespace, name) === undefined) continue;
    if (await may(cluster, viewer, 'get', kind.resource, namespace, { name }))
      return { resource, kind: kindLabel(kind.resource), namespace, name };
  }
  return undefined;
}
