import { deepEqual } from '@/lib/kube/json';
import {
  desiredIn,
  maxRevision,
  newestAnnotations,
  REVISION,
  sameTemplate,
  type Sets,
  sizeAnnotations,
  splitReplicaSets,
} from '@/sandbox/controllers/deployment/replica-sets';
import { conditionOf, PROGRESSING } from '@/sandbox/controllers/deployment/conditions';
import type { DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { maxSurge, newSize } from '@/sandbox/controllers/deployment/scale';
import { isAlreadyExists } from '@/sandbox/controllers/runtime/resource';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import type { ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

const HASH_LABEL = 'pod-template-hash';

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
  const { minReadySeconds } = deployment.spec;
  if (!deepEqual(annotations, present) || (minReadySeconds ?? 0) !== (fresh.spec.minReadySeconds ?? 0)) {
    const metadata = { ...fresh.metadata, annotations };
    return rollout.replaceSet({ ...fresh, metadata, spec: { ...fresh.spec, minReadySeconds } });
  }
  if (conditionOf(rollout.conditions, 'Progressing') === undefined) {
    const message = `Found new replica set "${fresh.metadata.name}"`;
    await rollout.saveProgressing('True', PROGRESSING.found, message, annotations[REVISION]);
  } else await rollout.saveStatus(deployment.status, annotations[REVISION]);
  return fresh;
}

async function createFresh(
  rollout: DeploymentReconcile,
  old: readonly ReplicaSet[],
  wanted: number,
): Promise<ReplicaSet> {
  const { deployment, manager } = rollout;
  const { spec, metadata } = deployment;
  const hash = templateHash(spec.template, undefined);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const matchLabels = { ...(spec.selector.matchLabels as Record<string, string>), [HASH_LABEL]: hash };
  const replicas = newSize(spec, { own: 0, all: desiredIn(old) });
  const name = `${metadata.name}-${hash}`;
  const annotations = {
    ...newestAnnotations(undefined, deployment, wanted),
    ...sizeAnnotations(spec.replicas, spec.replicas + maxSurge(spec)),
  };
  const draft = {
    metadata: { name, labels, annotations, ownerReferences: [controllerReference(deployment)] },
    spec: {
      replicas,
      minReadySeconds: spec.minReadySeconds,
      selector: { ...spec.selector, matchLabels },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  try {
    const created = await manager.replicaSets.create(metadata.namespace, draft);
    rollout.addSet(created);
    if (replicas > 0)
      rollout.record('Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`);
    const message = `Created new replica set "${name}"`;
    await rollout.saveProgressing('True', PROGRESSING.created, message, String(wanted));
    return created;
  } catch (error) {
    // The same template, observed late.
    const present = isAlreadyExists(error)
      ? await manager.replicaSets.read(metadata.namespace, name)
      : undefined;
    const isOwn = present !== undefined && isControlledBy(present, deployment);
    if (!isOwn || !sameTemplate(spec.template, present.spec.template)) throw error;
    rollout.addSet(present);
    await rollout.saveStatus(deployment.status, String(wanted));
    return present;
  }
}
