import { AppError } from '@/lib/errors';
import { parseLabelSelector } from '@/lib/kube/selector';
import { type ObjectKey } from '@/server/cluster/reflector-store';
import { claim } from '@/server/sandbox/controllers/engine/claim';
import { ownerKey, ownersConcerned } from '@/server/sandbox/controllers/engine/owners';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type World } from '@/server/sandbox/controllers/engine/world';
import { cleanUp } from '@/server/sandbox/controllers/deployment/cleanup';
import {
  conditionOf,
  newCondition,
  PROGRESSING,
  withCondition,
} from '@/server/sandbox/controllers/deployment/conditions';
import { syncRevision } from '@/server/sandbox/controllers/deployment/new-replica-set';
import { recreate } from '@/server/sandbox/controllers/deployment/recreate';
import { rollBack, rollbackOf } from '@/server/sandbox/controllers/deployment/rollback';
import { roll } from '@/server/sandbox/controllers/deployment/rolling';
import { Rollout } from '@/server/sandbox/controllers/deployment/rollout';
import { isScalingEvent, scale } from '@/server/sandbox/controllers/deployment/scale';
import { saveStatus } from '@/server/sandbox/controllers/deployment/status';
import { isDeleting, type Pod } from '@/server/sandbox/controllers/objects/pod';
import { isControlledBy } from '@/server/sandbox/controllers/objects/owner';
import { keyOf } from '@/server/cluster/reflector-store';

/**
 * Rolls Deployments out by means of ReplicaSets.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/deployment_controller.go
 */
export function runDeployments(world: World): void {
  const work = world.register((key) => syncDeployment(world, work, key));
  world.deployments.store.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  world.replicaSets.store.onChange((change) => {
    for (const key of ownersConcerned(world.deployments, change)) work.add(key);
  });
  world.pods.store.onChange(({ object, before }) => {
    const key = object === undefined ? waitingFor(world, before) : undefined;
    if (key !== undefined) work.add(key);
  });
}

/** The Deployment that had to wait for the last of its old pods to end. */
function waitingFor(world: World, pod: Pod): ObjectKey | undefined {
  const setKey = ownerKey(world.replicaSets, pod);
  const set = setKey === undefined ? undefined : world.replicaSets.store.get(setKey);
  const key = set === undefined ? undefined : ownerKey(world.deployments, set);
  const deployment = key === undefined ? undefined : world.deployments.store.get(key);
  if (deployment?.spec.strategy.type !== 'Recreate') return undefined;
  const sets = world.replicaSets.store
    .in(pod.metadata.namespace)
    .filter((candidate) => isControlledBy(candidate, deployment));
  const hasPods = world.pods.store
    .in(pod.metadata.namespace)
    .some((other) => sets.some((candidate) => isControlledBy(other, candidate)));
  return hasPods ? undefined : key;
}

async function syncDeployment(world: World, work: Worklist, key: ObjectKey): Promise<void> {
  const deployment = world.deployments.store.get(key);
  if (deployment === undefined) return;
  const sets = await claim({
    owner: deployment,
    owners: world.deployments,
    selector: parseLabelSelector(deployment.spec.selector),
    resource: world.replicaSets,
    candidates: world.replicaSets.store.in(deployment.metadata.namespace),
  });
  const rollout = new Rollout(world, work, key, deployment, sets);
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

/** Follows changes of the number of replicas and lets the rollout rest. */
async function hold(rollout: Rollout): Promise<void> {
  const sets = await syncRevision(rollout, false);
  await scale(rollout, sets);
  const { deployment } = rollout;
  if (deployment.spec.paused === true && rollbackOf(deployment) === undefined)
    await cleanUp(rollout, sets.old);
  await saveStatus(rollout, sets);
}

/** Time does not count while a Deployment is paused, and its having run out is not hidden by a pause. */
async function notePause(rollout: Rollout): Promise<void> {
  const present = conditionOf(rollout.conditions, 'Progressing');
  if (!rollout.hasDeadline || present?.reason === PROGRESSING.timedOut) return;
  const { deployment, world } = rollout;
  const paused = deployment.spec.paused === true;
  if (paused === (present?.reason === PROGRESSING.paused)) return;
  const condition = paused
    ? newCondition(world.now(), 'Progressing', 'Unknown', PROGRESSING.paused, 'Deployment is paused')
    : newCondition(world.now(), 'Progressing', 'Unknown', PROGRESSING.resumed, 'Deployment is resumed');
  const conditions = withCondition(rollout.conditions, condition);
  await rollout.saveStatus({ ...deployment.status, conditions });
}
