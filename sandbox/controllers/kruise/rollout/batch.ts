import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { type BatchReleaseObject } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import { type RolloutPass } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import { ROLLBACK_IN_BATCH } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type SubStatus } from '@/sandbox/controllers/kruise/rollout/sub-status';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

/**
 * Upgrades the batch of a step: the BatchRelease of that step, or undefined while it has to be created or
 * moved.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_releaseManager.go
 */
export async function runBatch(pass: RolloutPass, sub: SubStatus): Promise<BatchReleaseObject | undefined> {
  const { batchReleases, batchRelease } = pass;
  if (batchReleases === undefined || (batchRelease !== undefined && isDeleting(batchRelease)))
    return undefined;
  const { namespace, name } = pass.rollout.metadata;
  const wanted = specOf(pass, sub);
  if (batchRelease === undefined) {
    const annotations = inBatches(pass) ? { [ROLLBACK_IN_BATCH]: 'true' } : {};
    const metadata = { name, annotations, ownerReferences: [controllerReference(pass.rollout)] };
    await batchReleases.create(namespace, { metadata, spec: wanted });
    return undefined;
  }
  if (deepEqual(batchRelease.spec, wanted)) return batchRelease;
  await batchReleases.replace({ ...batchRelease, spec: wanted as unknown as BatchReleaseObject['spec'] });
  return undefined;
}

function inBatches({ rollout }: RolloutPass): boolean {
  return rollout.metadata.annotations?.[ROLLBACK_IN_BATCH] === 'true';
}

/** Whether the status of the BatchRelease is about that step. */
export function isBatchReady({ metadata, spec, status }: BatchReleaseObject): boolean {
  return (
    status.observedGeneration === metadata.generation &&
    status.canaryStatus?.currentBatch === spec.releasePlan.batchPartition &&
    status.canaryStatus?.batchState === 'Ready'
  );
}

/** Copies the counts of the BatchRelease. */
export function noteBatch(sub: SubStatus, batchRelease: BatchReleaseObject | undefined): void {
  if (batchRelease === undefined) return;
  const { canaryStatus, message = '' } = batchRelease.status;
  sub.replicas = canaryStatus?.updatedReplicas ?? 0;
  sub.readyReplicas = canaryStatus?.updatedReadyReplicas ?? 0;
  const batch = (batchRelease.spec.releasePlan.batchPartition ?? 0) + 1;
  const words = `BatchRelease is at state ${canaryStatus?.batchState ?? ''}, rollout-id ${batchRelease.status.observedRolloutID ?? ''}, step ${batch}`;
  sub.message = message === '' ? words : `${words}, ${message}`;
}

/** Upgrades all remaining pods, or none. Returns whether the claim on the workload is released. */
export async function finishBatches(pass: RolloutPass, policy: 'WaitResume' | 'Immediate'): Promise<boolean> {
  const { batchReleases, batchRelease } = pass;
  if (batchReleases === undefined || batchRelease === undefined) return true;
  const { batchPartition: partition, ...plan } = batchRelease.spec.releasePlan;
  if (partition === undefined && plan.finalizingPolicy === policy)
    return batchRelease.status.phase === 'Completed';
  const releasePlan = { ...plan, finalizingPolicy: policy };
  await batchReleases.replace({ ...batchRelease, spec: { ...batchRelease.spec, releasePlan } });
  return false;
}

/** Returns whether it is deleted. */
export async function deleteBatches({ batchReleases, batchRelease }: RolloutPass): Promise<boolean> {
  if (batchReleases === undefined || batchRelease === undefined) return true;
  if (!isDeleting(batchRelease)) await batchReleases.delete(batchRelease);
  return false;
}

function specOf({ plan, rollout, style }: RolloutPass, sub: SubStatus): JsonObject {
  const extra = plan.enableExtraWorkloadForCanary === true;
  return {
    workloadRef: { ...rollout.spec.workloadRef },
    releasePlan: {
      batches: plan.steps.map(({ replicas }) => ({ canaryReplicas: replicas ?? '100%' })),
      batchPartition: sub.currentStepIndex - 1,
      rolloutID: sub.observedRolloutID,
      rollingStyle: style,
      ...(extra && { enableExtraWorkloadForCanary: true }),
      ...(plan.failureThreshold !== undefined && { failureThreshold: plan.failureThreshold }),
      ...(plan.patchPodTemplateMetadata !== undefined && {
        patchPodTemplateMetadata: plan.patchPodTemplateMetadata,
      }),
    },
  };
}
