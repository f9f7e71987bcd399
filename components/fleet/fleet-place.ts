import { type ClusterFilter, clustersIn } from '@/components/queries/cluster';
import { type ClusterList } from '@/lib/api/cluster';
import { type PartialResult } from '@/lib/api/common';
import { type WorkloadItem } from '@/lib/api/workloads';

/** Those in the clusters that lists are about; a name that no cluster has matches nothing. */
export function itemsIn(
  items: readonly WorkloadItem[],
  filter: ClusterFilter,
  clusters: ClusterList | undefined,
): readonly WorkloadItem[] {
  if (clusters === undefined || isEmpty(filter)) return items;
  const ids = new Set(clustersIn(clusters.items, filter).map(({ id }) => id));
  return items.filter((item) => ids.has(item.cluster));
}

/** Whether a part that is missing is of those clusters. */
export function isPartIn(
  { cluster }: PartialResult,
  filter: ClusterFilter,
  clusters: ClusterList | undefined,
): boolean {
  if (cluster === undefined || clusters === undefined || isEmpty(filter)) return true;
  return clustersIn(clusters.items, filter).some(({ name }) => name === cluster);
}

function isEmpty({ cluster, stage }: ClusterFilter): boolean {
  return cluster === undefined && stage === undefined;
}
