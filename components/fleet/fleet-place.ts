import { type ClusterFilter } from '@/components/queries/cluster';
import { type ClusterList } from '@/lib/api/cluster';
import { type WorkloadItem } from '@/lib/api/workloads';

/** Those in the clusters that lists are about; a name that no cluster has matches nothing. */
export function itemsIn(
  items: readonly WorkloadItem[],
  { cluster, stage }: ClusterFilter,
  clusters: ClusterList | undefined,
): readonly WorkloadItem[] {
  if (clusters === undefined || (cluster === undefined && stage === undefined)) return items;
  const names = cluster?.split(',');
  const stages = stage?.split(',');
  const ids = new Set(
    clusters.items
      .filter(({ id, name }) => names === undefined || names.includes(name) || names.includes(id))
      .filter((each) => stages === undefined || (each.stage !== null && stages.includes(each.stage)))
      .map(({ id }) => id),
  );
  return items.filter((item) => ids.has(item.cluster));
}
