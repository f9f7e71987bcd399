import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { newestAnnotations, REVISION } from '@/sandbox/controllers/deployment/annotations';
import { availableIn, maxRevision } from '@/sandbox/controllers/deployment/replica-sets';
import { ownerKey } from '@/sandbox/controllers/engine/owners';
import { isAlreadyExists } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  ADVANCED_CONTROLLED,
  type AdvancedStrategy,
  DEPLOYMENT_EXTRA_STATUS,
  strategyOf,
} from '@/sandbox/controllers/kruise/batch-release/deployment-strategy';
import { sizeOf } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { freshSetOf, POD_TEMPLATE_HASH, setsOf } from '@/sandbox/controllers/kruise/shared/workload';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { type Deployment, type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

/**
 * Scales the ReplicaSets of Deployments that a rollout in partition style holds paused. The Deployment
 * controller does not scale them while more than one has pods, or a single one has all: hence the new one
 * scales up before the old one scales down.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/deployment
 */
export function runAdvancedDeployments(manager: ControllerManager): void {
  const work = manager.register((key) => syncDeployment(manager, key));
  manager.deployments.store.onChange(({ object }) => {
    if (object?.metadata.labels?.[ADVANCED_CONTROLLED] === 'true') work.add(keyOf(object));
  });
  manager.replicaSets.store.onChange(({ object, before }) => {
    const state = object ?? before;
    const key = state === undefined ? undefined : ownerKey(manager.deployments, state);
    if (key === undefined) return;
    if (manager.deployments.store.get(key)?.metadata.labels?.[ADVANCED_CONTROLLED] === 'true') work.add(key);
  });
}

async function syncDeployment(manager: ControllerManager, key: ObjectKey): Promise<void> {
  const deployment = manager.deployments.store.get(key);
  if (deployment?.metadata.labels?.[ADVANCED_CONTROLLED] !== 'true' || isDeleting(deployment)) return;
  const strategy = strategyOf(deployment);
  if (strategy === undefined || strategy.paused === true) return;
  const sets = setsOf(manager, deployment);
  const fresh = freshSetOf(sets, deployment.spec.template);
  const wanted = sizeOf(strategy.partition, deployment.spec.replicas);
  if (fresh === undefined) {
    if (wanted > 0) await createFresh(manager, deployment, sets);
    return;
  }
  await noteExtraStatus(manager, deployment, fresh, wanted);
  const old = sets.filter((set) => set !== fresh);
  if (await grow(manager, deployment, strategy, fresh, old, wanted)) return;
  await shrink(manager, deployment, strategy, fresh, old, wanted);
}

async function createFresh(
  manager: ControllerManager,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): Promise<void> {
  const { spec, metadata, status } = deployment;
  const hash = templateHash(spec.template, status.collisionCount);
  const revision = maxRevision(sets) + 1;
  const labels = { ...spec.template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const matchLabels = { ...(spec.selector.matchLabels as Record<string, string>), [POD_TEMPLATE_HASH]: hash };
  const deployments = manager.deployments.as('kruise-manager');
  try {
    await manager.replicaSets.as('kruise-manager').create(metadata.namespace, {
      metadata: {
        name: `${metadata.name}-${hash}`,
        labels,
        annotations: newestAnnotations(undefined, deployment, revision),
        ownerReferences: [controllerReference(deployment)],
      },
      spec: {
        replicas: 0,
        selector: { ...spec.selector, matchLabels },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  await deployments.merge(deployment, { metadata: { annotations: { [REVISION]: String(revision) } } });
}

/** Scales up as far as the surge allows. */
async function grow(
  manager: ControllerManager,
  { spec }: Deployment,
  { rollingUpdate }: AdvancedStrategy,
  fresh: ReplicaSet,
  old: readonly ReplicaSet[],
  wanted: number,
): Promise<boolean> {
  const surge = sizeOf(rollingUpdate.maxSurge ?? 0, spec.replicas);
  const unavailable = tolerated(rollingUpdate, spec.replicas);
  const all = sumOf([fresh, ...old], (set) => set.spec.replicas);
  const room = spec.replicas + (surge === 0 && unavailable === 0 ? 1 : surge) - all;
  const size = Math.min(wanted, fresh.spec.replicas + Math.max(0, room));
  if (size <= fresh.spec.replicas) return false;
  await resize(manager, fresh, size);
  return true;
}

/**
 * Scales down as far as pods may be missing, and never so far that the next reconcile would find only one
 * ReplicaSet.
 */
async function shrink(
  manager: ControllerManager,
  { spec }: Deployment,
  { rollingUpdate }: AdvancedStrategy,
  fresh: ReplicaSet,
  old: readonly ReplicaSet[],
  wanted: number,
): Promise<void> {
  let spare = availableIn([fresh, ...old]) - (spec.replicas - tolerated(rollingUpdate, spec.replicas));
  let surplus = sumOf(old, (set) => set.spec.replicas) - (spec.replicas - wanted);
  if (fresh.spec.replicas === 0 && wanted > 0) return;
  for (const set of old) {
    const less = Math.min(set.spec.replicas, spare, surplus);
    if (less <= 0) continue;
    await resize(manager, set, set.spec.replicas - less);
    spare -= less;
    surplus -= less;
  }
}

/** Percentages of what may be missing round down. */
function tolerated({ maxUnavailable = 0 }: AdvancedStrategy['rollingUpdate'], replicas: number): number {
  if (typeof maxUnavailable === 'number') return maxUnavailable;
  return Math.floor((Number.parseFloat(maxUnavailable) * replicas) / 100);
}

async function resize(manager: ControllerManager, set: ReplicaSet, replicas: number): Promise<void> {
  await manager.replicaSets.as('kruise-manager').merge(set, { spec: { replicas } });
}

async function noteExtraStatus(
  manager: ControllerManager,
  deployment: Deployment,
  fresh: ReplicaSet,
  wanted: number,
): Promise<void> {
  const ready = fresh.status.readyReplicas ?? 0;
  const status = { ...(ready > 0 && { updatedReadyReplicas: ready }), expectedUpdatedReplicas: wanted };
  const text = JSON.stringify(status);
  if (deployment.metadata.annotations?.[DEPLOYMENT_EXTRA_STATUS] === text) return;
  const annotations = { [DEPLOYMENT_EXTRA_STATUS]: text };
  await manager.deployments.as('kruise-manager').merge(deployment, { metadata: { annotations } });
}
