import { useClusters } from '@/components/queries/clusters';
import { staleReason, useConnection } from '@/components/ui/connection';

/** Why nothing can be changed now in a cluster, given by id or name; null when it can. */
export function useStaleReason(cluster: string | undefined): string | null {
  const { find, isSeveral } = useClusters();
  const item = find(cluster);
  return staleReason(useConnection(item?.id), isSeveral ? item?.name : undefined);
}
