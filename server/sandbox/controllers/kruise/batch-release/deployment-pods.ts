import { type World } from '@/server/sandbox/controllers/engine/world';
import { type Control } from '@/server/sandbox/controllers/kruise/batch-release/control';
import { STABLE_REVISION } from '@/server/sandbox/controllers/kruise/rollout/rollout-object';
import { freshSetOf, kruiseHash, setsOf } from '@/server/sandbox/controllers/kruise/rollout/workload';
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

/** What a Deployment with the pods of both versions tells of itself, whatever sizes its ReplicaSets. */
export function observeDeployment(
  world: World,
  deployment: Deployment,
): Required<Pick<Control, 'revisions' | 'counts' | 'updatedPods' | 'unnamedPods'>> {
  const { metadata, spec } = deployment;
  const sets = setsOf(world, deployment);
  const fresh = freshSetOf(sets, spec.template);
  return {
    revisions: () => ({
      stable: metadata.labels?.[STABLE_REVISION] ?? '',
      update: kruiseHash(spec.template),
    }),
    counts: () => ({
      updated: fresh?.status.replicas ?? 0,
      updatedReady: fresh?.status.readyReplicas ?? 0,
    }),
    updatedPods: () => podsOfSet(world, fresh),
    unnamedPods: () =>
      sets.flatMap((set) =>
        podsOfSet(world, set).map((pod) => ({ pod, revision: kruiseHash(set.spec.template) })),
      ),
  };
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
