import { clusterParam } from '@/components/queries/cluster';
import { staleReason, useConnection } from '@/components/ui/connection';

/** Why nothing can be changed now in a cluster, which the page is about; null when it can. Names it among several. */
export function useStaleReason(cluster: string | undefined): string | null {
  return staleReason(useConnection(), clusterParam(cluster));
}
