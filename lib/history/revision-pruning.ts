/** What a controller's clean-up reads of one source object. */
export interface PruningCandidate {
  id: string;
  /** A pod runs it or the status names it. */
  live: boolean;
  /** ReplicaSets: desired or remaining replicas, or a spec not yet observed. */
  busy: boolean;
  /** Already being deleted. */
  deleting: boolean;
}

const INT32_MAX = 2_147_483_647;

/**
 * Deployment: of the old ReplicaSets, oldest first, the first `length - limit` are checked and busy ones
 * skipped, without a substitute.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (cleanupDeployment)
 */
export function prunedByDeployment(old: readonly PruningCandidate[], limit: number | null): string[] {
  if (limit === null || limit === INT32_MAX) return [];
  const candidates = old.filter((source) => !source.deleting);
  const excess = Math.max(0, candidates.length - limit);
  return candidates.slice(0, excess).flatMap((source) => (source.busy ? [] : [source.id]));
}

/**
 * StatefulSet: the limit counts what is not live; the oldest of those beyond it are deleted.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
 * (truncateHistory)
 */
export function prunedByStatefulSet(all: readonly PruningCandidate[], limit: number): string[] {
  if (limit < 0) return [];
  const candidates = all.filter((source) => !source.live);
  return candidates.slice(0, Math.max(0, candidates.length - limit)).map(({ id }) => id);
}

/**
 * DaemonSet: all old revisions count against the limit, live ones are skipped, and the loop continues until
 * enough have been deleted.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (cleanupHistory)
 */
export function prunedByDaemonSet(old: readonly PruningCandidate[], limit: number): string[] {
  const excess = Math.max(0, old.length - limit);
  return old
    .filter((source) => !source.live)
    .slice(0, excess)
    .map(({ id }) => id);
}
