import { AppError } from '@/lib/errors';
import { type ObjectKey, keyOf } from '@/server/cluster/reflector-store';
import { claim, ownerKey, ownersConcerned } from '@/sandbox/controllers/engine/owners';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { cleanUp } from '@/sandbox/controllers/deployment/cleanup';
import {
  conditionOf,
  newCondition,
  PROGRESSING,
  withCondition,
} from '@/sandbox/controllers/deployment/conditions';
import { syncRevision } from '@/sandbox/controllers/deployment/new-replica-set';
import { rollBack, rollbackOf } from '@/sandbox/controllers/deployment/rollback';
import { roll } from '@/sandbox/controllers/deployment/rolling';
import { DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { isScalingEvent, scale, resize } from '@/sandbox/controllers/deployment/scale';
import { saveStatus, isComplete } from '@/sandbox/controllers/deployment/status';
import { isDeleting, type Pod, isTerminal } from '@/sandbox/controllers/objects/pod';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { saveProgress } from '@/sandbox/controllers/deployment/progress';
import { activeOf, type Sets } from '@/sandbox/controllers/deployment/replica-sets';
import { sumOf } from '@/sandbox/controllers/objects/amounts';

/**
 * Rolls out Deployments through ReplicaSets.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/deployment_controller.go
 */
export function runDeployments(manager: ControllerManager): void {
  const work = manager.register((key) => syncDeployment(manager, work, key));
  manager.deployments.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  manager.replicaSets.store.onChange((change) => {
    for (const key of ownersConcerned(manager.deployments, change)) work.add(key);
  });
  manager.pods.store.onChange(({ object, before }) => {
    const key = object === undefined ? waitingFor(manager, before) : undefined;
    if (key !== undefined) work.add(key);
  });
}

/** The Deployment that waited for the last of its old pods to end. */
function waitingFor(manager: ControllerManager, pod: Pod): ObjectKey | undefined {
  const setKey = ownerKey(manager.replicaSets, pod);
  const set = setKey === undefined ? undefined : manager.replicaSets.store.get(setKey);
  const key = set === undefined ? undefined : ownerKey(manager.deployments, set);
  const deployment = key === undefined ? undefined : manager.deployments.store.get(key);
  if (deployment?.spec.strategy.type !== 'Recreate') return undefined;
  const sets = manager.replicaSets.store
    .inNamespace(pod.metadata.namespace)
    .filter((candidate) => isControlledBy(candidate, deployment));
  const hasPods = manager.pods.store
    .inNamespace(pod.metadata.namespace)
    .some((other) => sets.some((candidate) => isControlledBy(other, candidate)));
  return hasPods ? undefined : key;
}

async function syncDeployment(manager: ControllerManager, work: Worklist, key: ObjectKey): Promise<void> {
  const deployment = manager.deployments.store.get(key);
  if (deployment === undefined) return;
  const sets = await claim({
    owner: deployment,
    owners: manager.deployments,
    resource: manager.replicaSets,
  });
  const rollout = new DeploymentReconcile(manager, work, key, deployment, sets);
  if (isDeleting(deployment)) return saveStatus(rollout, await syncRevision(rollout, false));
  await notePause(rollout);
  if (deployment.spec.paused === true) return hold(rollout);
  const asked = rollbackOf(deployment);
  if (asked !== undefined) return rollBack(rollout, asked);
  if (isScalingEvent(deployment, await syncRevision(rollout, false))) return hold(rollout);
  switch (deployment.spec.strategy.type) {
    case 'Recreate':
      return recreate(rollout);
    case 'RollingUpdate':
      return roll(rollout);
    default:
      throw new AppError('internal', `No such strategy of a Deployment: ${deployment.spec.strategy.type}`);
  }
}

/** Follows changes of the number of replicas without continuing the rollout. */
async function hold(rollout: DeploymentReconcile): Promise<void> {
  const sets = await syncRevision(rollout, false);
  await scale(rollout, sets);
  const { deployment } = rollout;
  if (deployment.spec.paused === true && rollbackOf(deployment) === undefined)
    await cleanUp(rollout, sets.old);
  await saveStatus(rollout, sets);
}

/**
 * The progress deadline does not run while a Deployment is paused, and a pause does not hide an exceeded one.
 */
async function notePause(rollout: DeploymentReconcile): Promise<void> {
  const present = conditionOf(rollout.conditions, 'Progressing');
  if (!rollout.hasDeadline || present?.reason === PROGRESSING.timedOut) return;
  const { deployment, manager } = rollout;
  const paused = deployment.spec.paused === true;
  if (paused === (present?.reason === PROGRESSING.paused)) return;
  const condition = paused
    ? newCondition(manager.now(), 'Progressing', 'Unknown', PROGRESSING.paused, 'Deployment is paused')
    : newCondition(manager.now(), 'Progressing', 'Unknown', PROGRESSING.resumed, 'Deployment is resumed');
  const conditions = withCondition(rollout.conditions, condition);
  await rollout.saveStatus({ ...deployment.status, conditions });
}

/**
 * All old pods end before a new one starts.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/recreate.go
 */
async function recreate(rollout: DeploymentReconcile): Promise<void> {
  const present = await syncRevision(rollout, false);
  const active = activeOf(present.old);
  for (const old of active) await resize(rollout, old, 0);
  if (active.length > 0 || oldPodsRun(rollout, present)) {
    await saveProgress(rollout, present);
    return;
  }
  const sets = present.fresh === undefined ? await syncRevision(rollout, true) : present;
  if (sets.fresh !== undefined) await resize(rollout, sets.fresh, rollout.deployment.spec.replicas);
  if (isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(rollout, sets.old);
  await saveProgress(rollout, sets);
}

function oldPodsRun(rollout: DeploymentReconcile, { old }: Sets): boolean {
  if (sumOf(old, ({ status }) => status.replicas) > 0) return true;
  return old.some((set) => rollout.podsOf(set).some((pod) => !isTerminal(pod)));
}
