import type { RevisionSource } from '@/lib/history/workload';

/** What a controller's clean-up reads of one source object. */
type Candidate = Pick<RevisionSource, 'uid' | 'name' | 'deletedAt'>;

/** Whether a pod runs it, or the status names it. */
export type IsLive = (source: Candidate) => boolean;

const INT32_MAX = 2_147_483_647;

/**
 * Deployment: of the old ReplicaSets, oldest first, the first `length - limit` are deleted. It would skip those with
 * pods: once one more revision is complete, none of the current ones has any.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (cleanupDeployment)
 */
export function prunedByDeployment(old: readonly Candidate[], limit: number | null): string[] {
  if (limit === null || limit === INT32_MAX) return [];
  const candidates = old.filter(({ deletedAt }) => deletedAt === null);
  return candidates.slice(0, Math.max(0, candidates.length - limit)).map(({ uid }) => uid);
}

/**
 * StatefulSet: the limit counts what is not live; the oldest of those beyond it are deleted.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
 * (truncateHistory)
 */
export function prunedByStatefulSet(all: readonly Candidate[], limit: number, isLive: IsLive): string[] {
  if (limit < 0) return [];
  const candidates = all.filter((source) => !isLive(source));
  return candidates.slice(0, Math.max(0, candidates.length - limit)).map(({ uid }) => uid);
}

/**
 * DaemonSet: all old revisions count against the limit, live ones are skipped, and the loop continues until
 * enough have been deleted.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (cleanupHistory)
 */
export function prunedByDaemonSet(old: readonly Candidate[], limit: number, isLive: IsLive): string[] {
  const excess = Math.max(0, old.length - limit);
  return old
    .filter((source) => !isLive(source))
    .slice(0, excess)
    .map(({ uid }) => uid);
}
