import { byNumber } from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/**
 * Of the old ReplicaSets beyond the history limit, deletes those that are not in use.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (cleanupDeployment)
 */
export async function cleanUp(rollout: DeploymentReconcile, old: readonly ReplicaSet[]): Promise<void> {
  const { revisionHistoryLimit: limit = Infinity } = rollout.deployment.spec;
  const sets = old.filter((set) => !isDeleting(set)).sort(byNumber);
  for (const set of sets.slice(0, Math.max(0, sets.length - limit)))
    if (!isBusy(set)) await rollout.manager.replicaSets.delete(set);
}

function isBusy({ spec, status, metadata }: ReplicaSet): boolean {
  const isUnobserved = (metadata.generation ?? 0) > (status.observedGeneration ?? 0);
  return spec.replicas !== 0 || (status.replicas ?? 0) !== 0 || isUnobserved;
}
