import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type Control } from '@/sandbox/controllers/kruise/batch-release/control';
import { STABLE_REVISION } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { freshSetOf, kruiseHash, setsOf } from '@/sandbox/controllers/kruise/shared/workload';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isActive, type Pod } from '@/sandbox/controllers/objects/pod';
import { type Deployment, type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

function podsOfSet(manager: ControllerManager, set: ReplicaSet | undefined): Pod[] {
  if (set === undefined) return [];
  return manager.pods.store
    .inNamespace(set.metadata.namespace)
    .filter((pod) => isControlledBy(pod, set) && isActive(pod));
}

export function podsOfDeployment(manager: ControllerManager, deployment: Deployment): Pod[] {
  return setsOf(manager, deployment).flatMap((set) => podsOfSet(manager, set));
}

/** The counts of a Deployment with pods of both versions, whichever controller scales its ReplicaSets. */
export function observeDeployment(
  manager: ControllerManager,
  deployment: Deployment,
): Required<Pick<Control, 'revisions' | 'counts' | 'updatedPods' | 'unnamedPods'>> {
  const { metadata, spec } = deployment;
  const sets = setsOf(manager, deployment);
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
    updatedPods: () => podsOfSet(manager, fresh),
    unnamedPods: () =>
      sets.flatMap((set) =>
        podsOfSet(manager, set).map((pod) => ({ pod, revision: kruiseHash(set.spec.template) })),
      ),
  };
}

/** No pod of an older version is left, and all of the new one are available. */
export function isRolledOut({ metadata, spec, status }: Deployment): boolean {
  const { observedGeneration, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  return (
    observedGeneration === metadata.generation &&
    replicas === spec.replicas &&
    updatedReplicas === spec.replicas &&
    availableReplicas === spec.replicas
  );
}
