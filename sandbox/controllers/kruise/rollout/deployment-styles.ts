import { resolveAmount } from '@/lib/kube/amount';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectIn } from '@/lib/kube/read';
import { availableIn, desiredIn, sameTemplate } from '@/sandbox/controllers/deployment/replica-sets';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import {
  CANARY_DEPLOYMENT,
  sizeOf,
  STABLE_REVISION,
} from '@/sandbox/controllers/kruise/rollout/rollout-object';
import type { RollingStyle, StepTarget } from '@/sandbox/controllers/kruise/rollout/styles';
import {
  findCanaries,
  findSets,
  POD_TEMPLATE_HASH,
  type RolloutWorkload,
} from '@/sandbox/controllers/kruise/rollout/workload';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import type { Deployment, IntOrString, ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

/** The new version in a Deployment of its own, which `owner` controls, while the stable one is paused. */
export function canaryDeployment(
  manager: ControllerManager,
  { object }: RolloutWorkload,
  owner: KubeObject | undefined,
): RollingStyle {
  const stable = object as Deployment;
  const deployments = manager.deployments.as('kruise-manager');
  const canaries = findCanaries(manager, stable);
  return {
    hold: () => ({}),
    upgrade: () => ({}),
    release: () => ({ spec: { paused: null } }),
    drive: async ({ size }) => {
      const [canary] = canaries;
      if (canary === undefined && owner !== undefined) {
        const { paused: _paused, ...spec } = stable.spec;
        const metadata = {
          generateName: `${stable.metadata.name}-`,
          labels: { [CANARY_DEPLOYMENT]: stable.metadata.name },
          ownerReferences: [controllerReference(owner)],
        };
        await deployments.create(stable.metadata.namespace, { metadata, spec: { ...spec, replicas: 0 } });
      }
      if (canary !== undefined && canary.spec.replicas !== size)
        await deployments.merge(canary, { spec: { replicas: size } });
    },
    cleanUp: async () => {
      for (const canary of canaries) await deployments.delete(canary);
    },
  };
}

const DEPLOYMENT_STRATEGY = 'rollouts.kruise.io/deployment-strategy';

/**
 * Old and new pods in one paused Deployment, whose ReplicaSets the rollout scales. The Deployment controller
 * does not scale them while more than one has pods, or a single one has all: hence the new one scales up
 * before the old one scales down.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/deployment
 */
export function partitionedDeployment(manager: ControllerManager, { object }: RolloutWorkload): RollingStyle {
  const deployment = object as Deployment;
  const saved = objectIn(deployment.metadata.annotations?.[DEPLOYMENT_STRATEGY])?.rollingUpdate;
  const rollingUpdate = (saved ?? deployment.spec.strategy.rollingUpdate ?? {}) as Rolling;
  const strategy = (partition: IntOrString) => ({
    [DEPLOYMENT_STRATEGY]: JSON.stringify({ rollingStyle: 'Partition', rollingUpdate, partition }),
  });
  return {
    hold: () => ({
      annotations: strategy(0),
      spec: { paused: true, strategy: { type: 'Recreate', rollingUpdate: null } },
    }),
    upgrade: ({ part }) => ({ annotations: strategy(part) }),
    release: () => ({
      annotations: { [DEPLOYMENT_STRATEGY]: null },
      labels: { [STABLE_REVISION]: null },
      spec: { paused: null, strategy: { type: 'RollingUpdate', rollingUpdate } },
    }),
    drive: (target) => scaleSets(manager, deployment, rollingUpdate, target),
  };
}

type Rolling = { maxSurge?: IntOrString; maxUnavailable?: IntOrString };

async function scaleSets(
  manager: ControllerManager,
  deployment: Deployment,
  { maxSurge = 0, maxUnavailable = 0 }: Rolling,
  { size }: StepTarget,
): Promise<void> {
  const { replicas, template } = deployment.spec;
  const sets = findSets(manager, deployment);
  const fresh = sets.find((set) => sameTemplate(set.spec.template, template));
  if (fresh === undefined) return createSet(manager, deployment);
  const resize = (set: ReplicaSet, to: number) =>
    manager.replicaSets.as('kruise-manager').merge(set, { spec: { replicas: to } });
  const unavailable = resolveAmount(maxUnavailable, replicas, Math.floor);
  const surge = Math.max(sizeOf(maxSurge, replicas), unavailable === 0 ? 1 : 0);
  const room = Math.max(0, replicas + surge - desiredIn(sets));
  const grown = Math.min(size, fresh.spec.replicas + room);
  if (grown > fresh.spec.replicas) {
    await resize(fresh, grown);
    return;
  }
  if (fresh.spec.replicas === 0) return;
  const old = sets.filter((set) => set !== fresh);
  const surplus = desiredIn(old) - (replicas - size);
  let spare = Math.min(surplus, availableIn(sets) - (replicas - unavailable));
  for (const set of old) {
    const less = Math.min(set.spec.replicas, spare);
    if (less > 0) await resize(set, set.spec.replicas - less);
    spare -= Math.max(0, less);
  }
}

/** The Deployment controller does not create it while the Deployment is paused; it numbers it. */
async function createSet(manager: ControllerManager, deployment: Deployment): Promise<void> {
  const { spec, metadata, status } = deployment;
  const { template, selector } = spec;
  const hash = templateHash(template, status.collisionCount);
  const labels = { ...template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const matchLabels = { ...(selector.matchLabels as JsonObject), [POD_TEMPLATE_HASH]: hash };
  await manager.replicaSets.as('kruise-manager').create(metadata.namespace, {
    metadata: {
      name: `${metadata.name}-${hash}`,
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
}
