import { type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { leewayOf } from '@/sandbox/controllers/argo/argo-rollout';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import { isAvailable, isDeleting } from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

const REQUEUE_MS = 30_000;

/**
 * Deletes pods that are older than the requested restart time, the stable ones first and few at a time. Done
 * once no such pod is left.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/restart.go
 */
export async function restartPods(reconcile: ArgoReconcile): Promise<void> {
  const { spec, status } = reconcile.rollout;
  const at = timeOf(spec.restartAt);
  if (spec.restartAt === undefined || at === undefined || status.restartedAt === spec.restartAt) return;
  const now = reconcile.manager.now();
  if (at > now) return reconcile.requeueAfter(at - now);
  const pods = inOrder(reconcile).flatMap((set) => reconcile.podsOf(set));
  const wanted = Math.max(
    spec.replicas,
    sumOf(reconcile.sets, (set) => set.spec.replicas),
  );
  const serving = pods.filter((pod) => !isDeleting(pod) && isAvailable(pod, spec.minReadySeconds, now));
  const free = serving.length - (wanted - Math.max(1, leewayOf(spec).unavailable));
  const old = pods.filter(({ metadata }) => Date.parse(metadata.creationTimestamp) < at);
  const chosen = free > 0 ? old.filter((pod) => !isDeleting(pod)).slice(0, free) : [];
  for (const pod of chosen) await reconcile.manager.pods.as('rollouts-controller').delete(pod);
  if (chosen.length < old.length) reconcile.requeueAfter(REQUEUE_MS);
  else reconcile.restartedAt = spec.restartAt;
}

function inOrder({ sets, stable, fresh }: ArgoReconcile): ReplicaSet[] {
  const rank = (set: ReplicaSet) => (set === stable ? 0 : set === fresh ? 1 : 2);
  return sets.toSorted((a, b) => rank(a) - rank(b));
}
