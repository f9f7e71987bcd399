import { type Turn } from '@/server/sandbox/controllers/argo/turn';
import { leewayOf } from '@/server/sandbox/controllers/argo/argo-rollout';
import { sumOf } from '@/server/sandbox/controllers/objects/amounts';
import { isAvailable, isDeleting } from '@/server/sandbox/controllers/objects/pod';
import { timeOf } from '@/server/sandbox/controllers/objects/time';
import { type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';

const LOOK_AGAIN_MS = 30_000;

/**
 * Deletes pods that are older than the time that somebody set, the stable ones first and few at a time. It is done once
 * no such pod is left.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/restart.go
 */
export async function restartPods(turn: Turn): Promise<void> {
  const { spec, status } = turn.rollout;
  const at = timeOf(spec.restartAt);
  if (spec.restartAt === undefined || at === undefined || status.restartedAt === spec.restartAt) return;
  const now = turn.world.now();
  if (at > now) return turn.again(at - now);
  const pods = inOrder(turn).flatMap((set) => turn.podsOf(set));
  const wanted = Math.max(
    spec.replicas,
    sumOf(turn.sets, (set) => set.spec.replicas),
  );
  const serving = pods.filter((pod) => !isDeleting(pod) && isAvailable(pod, spec.minReadySeconds, now));
  const free = serving.length - (wanted - Math.max(1, leewayOf(spec).unavailable));
  const old = pods.filter(({ metadata }) => Date.parse(metadata.creationTimestamp) < at);
  const chosen = free > 0 ? old.filter((pod) => !isDeleting(pod)).slice(0, free) : [];
  for (const pod of chosen) await turn.world.pods.as('rollouts-controller').delete(pod);
  if (chosen.length < old.length) turn.again(LOOK_AGAIN_MS);
  else turn.restartedAt = spec.restartAt;
}

function inOrder({ sets, stable, fresh }: Turn): ReplicaSet[] {
  const rank = (set: ReplicaSet) => (set === stable ? 0 : set === fresh ? 1 : 2);
  return sets.toSorted((a, b) => rank(a) - rank(b));
}
