import { clusterParam } from '@/components/queries/cluster';
import { connectionOf, staleReason } from '@/components/ui/connection';
import { showToast } from '@/components/ui/toast';

/** Answers the key or the press of an action that is not possible now: silence would look like a slow page. */
export function showRefusal(label: string, reason: string): void {
  showToast({ title: `${label.replace(/…$/, '')}: not possible now`, body: reason });
}

/**
 * Whether nothing can be changed now in the cluster with the id; says so. The page with the dialog of the action would
 * not come either.
 */
export function refuseWhileStale(label: string, cluster: string): boolean {
  const reason = staleReason(connectionOf(cluster), clusterParam(cluster));
  if (reason !== null) showRefusal(label, reason);
  return reason !== null;
}
