import { deepEqual } from '@/lib/kube/json';
import { isAlreadyExists, errorText } from '@/sandbox/controllers/engine/resource';
import { newestAnnotations, REVISION, sizeAnnotations } from '@/sandbox/controllers/deployment/annotations';
import {
  conditionOf,
  newCondition,
  PROGRESSING,
  withCondition,
} from '@/sandbox/controllers/deployment/conditions';
import {
  maxRevision,
  sameTemplate,
  type Sets,
  splitReplicaSets,
  desiredIn,
} from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { maxSurge, newSize } from '@/sandbox/controllers/deployment/strategy';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

const HASH_LABEL = 'pod-template-hash';
const NAME_LENGTH_MAX = 253;

/**
 * Sorts the ReplicaSets and numbers the new one, which is created when it is missing and creation is allowed.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go (getAllReplicaSetsAndSyncRevision)
 */
export async function syncRevision(rollout: DeploymentReconcile, create: boolean): Promise<Sets> {
  const sets = splitReplicaSets(rollout.deployment.spec.template, rollout.sets);
  const wanted = maxRevision(sets.old) + 1;
  if (sets.fresh !== undefined) return { ...sets, fresh: await updateFresh(rollout, sets.fresh, wanted) };
  return create ? { ...sets, fresh: await createFresh(rollout, sets.old, wanted) } : sets;
}

async function updateFresh(
  rollout: DeploymentReconcile,
  fresh: ReplicaSet,
  wanted: number,
): Promise<ReplicaSet> {
  const { deployment } = rollout;
  const present = fresh.metadata.annotations ?? {};
  const annotations = newestAnnotations(present, deployment, wanted);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (!deepEqual(annotations, present) || minReadySeconds !== (fresh.spec.minReadySeconds ?? 0)) {
    const { minReadySeconds: _before, ...spec } = fresh.spec;
    return rollout.replaceSet({
      ...fresh,
      metadata: { ...fresh.metadata, annotations },
      spec: minReadySeconds === 0 ? spec : { ...spec, minReadySeconds },
    });
  }
  const isNews = rollout.hasDeadline && conditionOf(rollout.conditions, 'Progressing') === undefined;
  const message = `Found new replica set "${fresh.metadata.name}"`;
  const found = newCondition(rollout.manager.now(), 'Progressing', 'True', PROGRESSING.found, message);
  const conditions = isNews ? withCondition(rollout.conditions, found) : [...rollout.conditions];
  await rollout.saveStatus({ ...deployment.status, conditions }, annotations[REVISION]);
  return fresh;
}

async function createFresh(
  rollout: DeploymentReconcile,
  old: readonly ReplicaSet[],
  wanted: number,
): Promise<ReplicaSet> {
  const { deployment, manager } = rollout;
  const { spec, metadata, status } = deployment;
  const hash = templateHash(spec.template, status.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const replicas = newSize(spec, { own: 0, all: desiredIn(old) });
  const name = `${metadata.name.slice(0, NAME_LENGTH_MAX - 1 - hash.length)}-${hash}`;
  const draft = {
    metadata: {
      name,
      labels,
      annotations: {
        ...newestAnnotations(undefined, deployment, wanted),
        ...sizeAnnotations(spec.replicas, spec.replicas + maxSurge(spec)),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: {
        ...spec.selector,
        matchLabels: {
          ...(spec.selector.matchLabels as Record<string, string> | undefined),
          [HASH_LABEL]: hash,
        },
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  let created: ReplicaSet;
  try {
    created = await manager.replicaSets.create(metadata.namespace, draft);
  } catch (error) {
    if (isAlreadyExists(error)) return resolveCollision(rollout, name, wanted, error);
    await noteFailure(rollout, name, error);
    throw error;
  }
  rollout.addSet(created);
  if (replicas > 0)
    rollout.record('Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`);
  await noteCreation(rollout, name, wanted);
  return created;
}

async function noteCreation(rollout: DeploymentReconcile, name: string, wanted: number): Promise<void> {
  const message = `Created new replica set "${name}"`;
  const created = newCondition(rollout.manager.now(), 'Progressing', 'True', PROGRESSING.created, message);
  const conditions = rollout.hasDeadline
    ? withCondition(rollout.conditions, created)
    : [...rollout.conditions];
  await rollout.saveStatus({ ...rollout.deployment.status, conditions }, String(wanted));
}

/**
 * Either the same template, observed late, or another one with the same hash, which the next collision count
 * avoids.
 */
async function resolveCollision(
  rollout: DeploymentReconcile,
  name: string,
  wanted: number,
  error: unknown,
): Promise<ReplicaSet> {
  const { deployment, manager } = rollout;
  const present = await manager.replicaSets.read(deployment.metadata.namespace, name);
  if (isControlledBy(present, deployment) && sameTemplate(deployment.spec.template, present.spec.template)) {
    rollout.addSet(present);
    await rollout.saveStatus(deployment.status, String(wanted));
    return present;
  }
  const collisionCount = (deployment.status.collisionCount ?? 0) + 1;
  await rollout.saveStatus({ ...deployment.status, collisionCount });
  throw error;
}

async function noteFailure(rollout: DeploymentReconcile, name: string, error: unknown): Promise<void> {
  const message = `Failed to create new replica set "${name}": ${errorText(error)}`;
  rollout.record('Warning', PROGRESSING.failed, message);
  if (!rollout.hasDeadline) return;
  const failed = newCondition(rollout.manager.now(), 'Progressing', 'False', PROGRESSING.failed, message);
  const conditions = withCondition(rollout.conditions, failed);
  await rollout.saveStatus({ ...rollout.deployment.status, conditions });
}
