import { newCondition, withCondition } from '@/sandbox/controllers/deployment/conditions';
import { availableIn, everySet, type Sets, desiredIn } from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { maxUnavailable } from '@/sandbox/controllers/deployment/strategy';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import {
  type Deployment,
  type DeploymentStatus,
  type ReplicaSet,
} from '@/sandbox/controllers/objects/workloads';

/**
 * The status that follows from the ReplicaSets.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (calculateStatus)
 */
export function statusOf(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const { spec, metadata, status } = deployment;
  const all = everySet(sets);
  const availableReplicas = availableIn(all);
  const isAvailable = availableReplicas >= spec.replicas - maxUnavailable(spec);
  const available = isAvailable
    ? newCondition(
        now,
        'Available',
        'True',
        'MinimumReplicasAvailable',
        'Deployment has minimum availability.',
      )
    : newCondition(
        now,
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
      );
  const terminatingReplicas = terminatingIn(all);
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: sumOf(all, (set) => set.status.replicas),
    updatedReplicas: sets.fresh?.status.replicas ?? 0,
    readyReplicas: sumOf(all, (set) => set.status.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, desiredIn(all) - availableReplicas),
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    ...(status.collisionCount === undefined ? {} : { collisionCount: status.collisionCount }),
    conditions: withCondition(status.conditions ?? [], available),
  };
}

/** Undefined until every ReplicaSet has reported how many of its pods are terminating. */
function terminatingIn(sets: readonly ReplicaSet[]): number | undefined {
  const observed = sets.filter(
    ({ status }) => status.observedGeneration || status.terminatingReplicas !== undefined,
  );
  if (observed.some(({ status }) => status.terminatingReplicas === undefined)) return undefined;
  return sumOf(observed, ({ status }) => status.terminatingReplicas);
}

/** All pods are of the current template and available, and no other is left. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  return (
    (status.updatedReplicas ?? 0) === spec.replicas &&
    (status.replicas ?? 0) === spec.replicas &&
    (status.availableReplicas ?? 0) === spec.replicas &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** Writes the status without assessing progress. */
export async function saveStatus(rollout: DeploymentReconcile, sets: Sets): Promise<void> {
  await rollout.saveStatus(statusOf(rollout.deployment, sets, rollout.manager.now()));
}
