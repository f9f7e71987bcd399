import { type ObjectKey, keyOf } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { claim, ownerKey, ownersConcerned } from '@/sandbox/controllers/runtime/owners';
import {
  activeOf,
  everySet,
  lastRevision,
  restoredAnnotations,
  revisionOf,
  ROLLBACK_TO,
  sameTemplate,
  type Sets,
  withoutHash,
} from '@/sandbox/controllers/deployment/replica-sets';
import { conditionOf, PROGRESSING } from '@/sandbox/controllers/deployment/conditions';
import { DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { syncRevision } from '@/sandbox/controllers/deployment/new-replica-set';
import { isComplete, saveProgress, saveStatus } from '@/sandbox/controllers/deployment/progress';
import {
  cleanUp,
  growNew,
  isScalingEvent,
  resize,
  scale,
  shrinkOld,
} from '@/sandbox/controllers/deployment/scale';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, isTerminal, type Pod } from '@/sandbox/controllers/objects/pod';
import type { Deployment } from '@/sandbox/controllers/objects/workloads';

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

/** The Deployment that may have waited for the last of its old pods to end. */
function waitingFor(manager: ControllerManager, pod: Pod): ObjectKey | undefined {
  const set = manager.replicaSets.store.get(ownerKey(manager.replicaSets, pod) ?? '');
  const key = set === undefined ? undefined : ownerKey(manager.deployments, set);
  const deployment = key === undefined ? undefined : manager.deployments.store.get(key);
  return deployment?.spec.strategy.type === 'Recreate' ? key : undefined;
}

async function syncDeployment(manager: ControllerManager, work: Worklist, key: ObjectKey): Promise<void> {
  const deployment = manager.deployments.store.get(key);
  if (deployment === undefined) return;
  const sets = await claim({ owner: deployment, owners: manager.deployments, resource: manager.replicaSets });
  const rollout = new DeploymentReconcile(manager, work, deployment, sets);
  if (isDeleting(deployment)) return saveStatus(rollout, await syncRevision(rollout, false));
  await notePause(rollout);
  if (deployment.spec.paused === true) return hold(rollout);
  const asked = deployment.metadata.annotations?.[ROLLBACK_TO];
  if (asked !== undefined) return rollBack(rollout, Number(asked));
  if (isScalingEvent(deployment, await syncRevision(rollout, false))) return hold(rollout);
  return deployment.spec.strategy.type === 'Recreate' ? recreate(rollout) : roll(rollout);
}

/** Follows changes of the number of replicas without continuing the rollout. */
async function hold(rollout: DeploymentReconcile): Promise<void> {
  const sets = await syncRevision(rollout, false);
  await scale(rollout, sets);
  if (rollout.deployment.spec.paused === true) await cleanUp(rollout, sets.old);
  await saveStatus(rollout, sets);
}

/**
 * The progress deadline does not run while a Deployment is paused, and a pause does not hide an exceeded one.
 */
async function notePause(rollout: DeploymentReconcile): Promise<void> {
  const present = conditionOf(rollout.conditions, 'Progressing');
  const isPaused = rollout.deployment.spec.paused === true;
  if (present?.reason === PROGRESSING.timedOut || isPaused === (present?.reason === PROGRESSING.paused))
    return;
  const [reason, message] = isPaused
    ? [PROGRESSING.paused, 'Deployment is paused']
    : [PROGRESSING.resumed, 'Deployment is resumed'];
  await rollout.saveProgressing('Unknown', reason, message);
}

/**
 * One step of a rolling update: scale the new ReplicaSet up, else the old ones down, else clean up.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rolling.go
 */
async function roll(rollout: DeploymentReconcile): Promise<void> {
  const sets = await syncRevision(rollout, true);
  const moved = (await growNew(rollout, sets)) || (await shrinkOld(rollout, sets));
  if (!moved && isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(rollout, sets.old);
  await saveProgress(rollout, sets);
}

/**
 * All old pods end before a new one starts.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/recreate.go
 */
async function recreate(rollout: DeploymentReconcile): Promise<void> {
  const present = await syncRevision(rollout, false);
  const active = activeOf(present.old);
  for (const old of active) await resize(rollout, old, 0);
  if (active.length > 0 || oldPodsRun(rollout, present)) return saveProgress(rollout, present);
  const sets = await syncRevision(rollout, true);
  if (sets.fresh !== undefined) await resize(rollout, sets.fresh, rollout.deployment.spec.replicas);
  if (isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(rollout, sets.old);
  await saveProgress(rollout, sets);
}

function oldPodsRun({ manager, deployment }: DeploymentReconcile, { old }: Sets): boolean {
  if (sumOf(old, ({ status }) => status.replicas) > 0) return true;
  const running = manager.pods.store
    .inNamespace(deployment.metadata.namespace)
    .filter((pod) => !isTerminal(pod));
  return old.some((set) => running.some((pod) => isControlledBy(pod, set)));
}

/**
 * The former rollback API, preserved as an annotation; 0 means the previous revision.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rollback.go
 */
async function rollBack(rollout: DeploymentReconcile, request: number): Promise<void> {
  const sets = everySet(await syncRevision(rollout, true));
  const number = request === 0 ? lastRevision(sets) : request;
  const target = sets.find(({ metadata }) => revisionOf(metadata.annotations) === number);
  const { deployment } = rollout;
  const { name, annotations } = deployment.metadata;
  if (target === undefined) {
    const what = number === 0 ? 'last revision' : 'the revision to rollback to';
    rollout.record('Warning', 'DeploymentRollbackRevisionNotFound', `Unable to find ${what}.`);
    await rollout.replace(withoutRequest(deployment));
  } else if (sameTemplate(deployment.spec.template, target.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    rollout.record('Warning', 'DeploymentRollbackTemplateUnchanged', message);
    await rollout.replace(withoutRequest(deployment));
  } else {
    const restored = restoredAnnotations(annotations, target.metadata.annotations);
    const template = withoutHash(target.spec.template);
    const metadata = { ...deployment.metadata, annotations: restored };
    await rollout.replace(
      withoutRequest({ ...deployment, metadata, spec: { ...deployment.spec, template } }),
    );
    rollout.record('Normal', 'DeploymentRollback', `Rolled back deployment "${name}" to revision ${number}`);
  }
}

function withoutRequest(deployment: Deployment): Deployment {
  const { [ROLLBACK_TO]: _asked, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
