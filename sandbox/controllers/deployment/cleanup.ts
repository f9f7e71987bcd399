import { prunedByDeployment, type PruningCandidate } from '@/lib/history/revision-pruning';
import { byNumber } from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/** Deletes the old ReplicaSets beyond the history limit. */
export async function cleanUp(rollout: DeploymentReconcile, old: readonly ReplicaSet[]): Promise<void> {
  const limit = rollout.deployment.spec.revisionHistoryLimit ?? null;
  const pruned = new Set(prunedByDeployment(old.toSorted(byNumber).map(retained), limit));
  for (const set of old) if (pruned.has(set.metadata.uid)) await rollout.manager.replicaSets.delete(set);
}

function retained(set: ReplicaSet): PruningCandidate {
  const { spec, status, metadata } = set;
  const isUnobserved = (metadata.generation ?? 0) > (status.observedGeneration ?? 0);
  const busy = spec.replicas !== 0 || (status.replicas ?? 0) !== 0 || isUnobserved;
  return { id: metadata.uid, live: busy, busy, deleting: isDeleting(set) };
}
