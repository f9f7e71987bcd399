import { type World } from '@/server/sandbox/controllers/engine/world';
import { setsOf } from '@/server/sandbox/controllers/kruise/rollout/workload';
import { isControlledBy } from '@/server/sandbox/controllers/objects/owner';
import { isActive, type Pod } from '@/server/sandbox/controllers/objects/pod';
import { type Deployment, type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';

export function podsOfSet(world: World, set: ReplicaSet | undefined): Pod[] {
  if (set === undefined) return [];
  return world.pods.store
    .in(set.metadata.namespace)
    .filter((pod) => isControlledBy(pod, set) && isActive(pod));
}

export function podsOfDeployment(world: World, deployment: Deployment): Pod[] {
  return setsOf(world, deployment).flatMap((set) => podsOfSet(world, set));
}

/** Nothing of an older version is left, and all of the new one serves. */
export function isRolledOut({ metadata, spec, status }: Deployment): boolean {
  const { observedGeneration, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  return (
    observedGeneration === metadata.generation &&
    replicas === spec.replicas &&
    updatedReplicas === spec.replicas &&
    availableReplicas === spec.replicas
  );
}
