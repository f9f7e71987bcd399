import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import {
  CANARY_FINALIZER,
  CONTROL_INFO,
  type ReleasePlan,
} from '@/sandbox/controllers/kruise/shared/batch-release-object';
import {
  type Control,
  controlInfo,
  type BatchCounts,
  type ClaimedWorkload,
  isClaimed,
  type BatchTarget,
  workloadPatch,
} from '@/sandbox/controllers/kruise/batch-release/control';
import { isRolledOut, podsOfDeployment } from '@/sandbox/controllers/kruise/batch-release/deployment-pods';
import { CANARY_DEPLOYMENT } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { canaryDeploymentOf, kruiseHash } from '@/sandbox/controllers/kruise/shared/workload';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { type Deployment } from '@/sandbox/controllers/objects/workloads';

/**
 * The new version in a Deployment of its own, while the stable one is paused.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/batchrelease/control/canarystyle
 */
export function canaryControl(held: ClaimedWorkload): Control {
  const { manager } = held;
  const stable = held.workload as Deployment;
  const deployments = manager.deployments.as('kruise-manager');
  const canary = canaryDeploymentOf(manager, stable);

  return {
    revisions: () => ({ update: kruiseHash(stable.spec.template) }),
    prepare: async () => {
      if (!isClaimed(held)) {
        await held.resource.merge(stable, workloadPatch(controlInfo(held.batchRelease), {}, {}));
        return false;
      }
      if (canary !== undefined) return canary.status.observedGeneration === canary.metadata.generation;
      await deployments.create(stable.metadata.namespace, draftOf(held, stable));
      return false;
    },
    upgrade: async ({ size }: BatchTarget) => {
      if (canary !== undefined && canary.spec.replicas !== size)
        await deployments.merge(canary, { spec: { replicas: size } });
    },
    counts: (): BatchCounts => ({
      updated: canary?.status.replicas ?? 0,
      updatedReady: canary?.status.readyReplicas ?? 0,
    }),
    updatedPods: () => (canary === undefined ? [] : podsOfDeployment(manager, canary)),
    unnamedPods: () =>
      canary === undefined
        ? []
        : podsOfDeployment(manager, canary).map((pod) => ({
            pod,
            revision: kruiseHash(canary.spec.template),
          })),
    release: async (plan: ReleasePlan) => {
      const promotes = plan.batchPartition === undefined;
      if (stable.metadata.annotations?.[CONTROL_INFO] !== undefined) {
        const spec = promotes ? { paused: null } : {};
        await held.resource.merge(stable, workloadPatch({ [CONTROL_INFO]: null }, {}, spec));
        return false;
      }
      if (promotes && plan.finalizingPolicy === 'WaitResume' && !isRolledOut(stable)) return false;
      const left = manager.deployments.store
        .inNamespace(stable.metadata.namespace)
        .filter((one) => one.metadata.labels?.[CANARY_DEPLOYMENT] === stable.metadata.name);
      for (const one of left) await remove(held, one);
      return true;
    },
  };
}

async function remove({ manager }: ClaimedWorkload, canary: Deployment): Promise<void> {
  const deployments = manager.deployments.as('kruise-manager');
  const finalizers = (canary.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CANARY_FINALIZER);
  const free = await deployments.merge(canary, { metadata: { finalizers } });
  if (!isDeleting(free)) await deployments.delete(free);
}

function draftOf(
  { batchRelease }: ClaimedWorkload,
  stable: Deployment,
): JsonObject & { metadata: JsonObject } {
  const { paused: _paused, template, ...spec } = stable.spec;
  const patch = batchRelease.spec.releasePlan.patchPodTemplateMetadata;
  const meta = (template.metadata ?? {}) as JsonObject;
  const added = (key: string) => {
    const members = { ...objectAt(meta, key), ...objectAt(patch, key) };
    return Object.keys(members).length === 0 ? {} : { [key]: members };
  };
  return {
    metadata: {
      generateName: `${stable.metadata.name}-`,
      labels: { [CANARY_DEPLOYMENT]: stable.metadata.name },
      annotations: controlInfo(batchRelease),
      finalizers: [CANARY_FINALIZER],
      ownerReferences: [controllerReference(batchRelease)],
    },
    spec: {
      ...spec,
      replicas: 0,
      template: isJsonObject(patch)
        ? { ...template, metadata: { ...meta, ...added('labels'), ...added('annotations') } }
        : template,
    },
  };
}
