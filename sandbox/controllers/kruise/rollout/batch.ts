import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
import {
  canaryDeployment,
  partitionedDeployment,
} from '@/sandbox/controllers/kruise/rollout/deployment-styles';
import { BATCH_ID, ROLLOUT_ID, sizeOf } from '@/sandbox/controllers/kruise/rollout/rollout-object';
import type { RolloutPass, StepProgress } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import {
  blueGreen,
  nativeDaemonSet,
  partitioned,
  type RollingStyle,
  type WorkloadPatch,
} from '@/sandbox/controllers/kruise/rollout/styles';
import {
  CONTROLLER_REVISION_HASH,
  isRolledOut,
  type RolloutWorkload,
} from '@/sandbox/controllers/kruise/rollout/workload';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { isDeleting, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';

/** By this annotation a BatchRelease claims a workload. */
const CONTROL_INFO = 'batchrelease.rollouts.kruise.io/control-info';
/** From a step to the first write of the workload, and from there to the check of its pods. */
const BATCH_MS = 2000;

function chooseStyle(pass: RolloutPass, workload: RolloutWorkload): RollingStyle {
  const { manager, style, batchRelease } = pass;
  const { kind, apiVersion } = workload.object;
  if (style === 'BlueGreen') return blueGreen(manager, workload);
  if (style === 'Canary') return canaryDeployment(manager, workload, batchRelease);
  if (kind === 'Deployment') return partitionedDeployment(manager, workload);
  const isNative = kind === 'DaemonSet' && apiVersion.startsWith('apps/');
  return isNative ? nativeDaemonSet(manager, workload) : partitioned(workload);
}

/** Updates pods as far as the step goes. Returns whether they are there and ready. */
export async function upgrade(
  pass: RolloutPass,
  workload: RolloutWorkload,
  progress: StepProgress,
): Promise<boolean> {
  const { batchRelease, plan } = pass;
  const part = plan.steps[progress.currentStepIndex - 1]?.replicas ?? '100%';
  const target = { part, size: sizeAt(pass, workload, part) };
  if (batchRelease === undefined || !pass.hasWaited(progress.lastUpdateTime, BATCH_MS)) return false;
  const style = chooseStyle(pass, workload);
  if (!isClaimed(workload)) {
    await write(workload, style.hold(), JSON.stringify(controllerReference(batchRelease)));
    return false;
  }
  const change = style.upgrade(target);
  if (!isApplied(workload.object, change)) {
    await write(workload, change);
    return false;
  }
  await style.drive?.(target);
  await labelPods(pass, workload, progress);
  const { updatedPods } = workload;
  return (
    updatedPods.filter(isReady).length >= target.size && pass.hasWaited(progress.lastUpdateTime, 2 * BATCH_MS)
  );
}

/** Ends the claim: the workload's own controller updates the rest. Returns whether that is done, where it waits. */
export async function release(pass: RolloutPass, progress: StepProgress, waits: boolean): Promise<boolean> {
  const { workload, batchRelease } = pass;
  if (workload === undefined || batchRelease === undefined) return true;
  await writeBatchRelease(pass, workload, progress, { phase: 'Finalizing' });
  if (!pass.hasWaited(progress.lastUpdateTime, BATCH_MS)) return false;
  if (!isClaimed(workload)) return !waits || isRolledOut(workload);
  await write(workload, chooseStyle(pass, workload).release(), null);
  return false;
}

/** Ends the claim where it is left. Returns whether nothing is left of it. */
export async function abandon(pass: RolloutPass): Promise<boolean> {
  const { workload, batchReleases, batchRelease } = pass;
  if (workload !== undefined) {
    if (isClaimed(workload)) await write(workload, {}, null);
    await chooseStyle(pass, workload).cleanUp?.();
  }
  if (batchRelease === undefined) return true;
  if (!isDeleting(batchRelease)) await batchReleases.delete(batchRelease);
  return false;
}

function isClaimed({ object }: RolloutWorkload): boolean {
  return object.metadata.annotations?.[CONTROL_INFO] !== undefined;
}

function isApplied({ metadata, spec }: KubeObject, { annotations = {}, spec: wanted = {} }: WorkloadPatch) {
  return contains(metadata.annotations, annotations) && contains(spec, wanted);
}

/** Whether a merge patch would change nothing. */
function contains(value: Json | undefined, patch: Json | undefined): boolean {
  if (patch === null || patch === undefined) return value === null || value === undefined;
  if (!isJsonObject(patch)) return deepEqual(value, patch);
  return Object.entries(patch).every(([key, member]) => contains(memberOf(value, key), member));
}

/** `claim`: null ends it. */
async function write(
  { object, resource }: RolloutWorkload,
  { annotations, labels = {}, spec = {} }: WorkloadPatch,
  claim?: string | null,
): Promise<void> {
  const marks = claim === undefined ? { ...annotations } : { ...annotations, [CONTROL_INFO]: claim };
  await resource.merge(object, { metadata: { annotations: marks, labels }, spec });
}

/** A rollback in batches counts the pods that never left the revision on top of each step. */
function sizeAt(pass: RolloutPass, { replicas }: RolloutWorkload, part: number | string): number {
  const kept = keptOf(pass);
  return kept + sizeOf(part, replicas - kept);
}

function keptOf({ batchRelease }: RolloutPass): number {
  return numberAt(batchRelease?.status, 'canaryStatus', 'noNeedUpdateReplicas') ?? 0;
}

/** The object that claims the workload upstream, and by which Shiplog reads the batch. */
export async function writeBatchRelease(
  pass: RolloutPass,
  { replicas, updatedPods }: RolloutWorkload,
  { currentStepIndex, currentStepState, observedRolloutID: rolloutID }: StepProgress,
  { phase = 'Progressing', kept = keptOf(pass) } = {},
): Promise<void> {
  const { batchReleases, batchRelease, rollout, plan, style } = pass;
  const { namespace, name } = rollout.metadata;
  const currentBatch = currentStepIndex - 1;
  const releasePlan = {
    batches: plan.steps.map((step) => ({ canaryReplicas: step.replicas ?? '100%' })),
    batchPartition: currentBatch,
    rolloutID,
    rollingStyle: style,
    enableExtraWorkloadForCanary: style === 'Canary',
  };
  const spec = { workloadRef: { ...rollout.spec.workloadRef }, releasePlan };
  const metadata = { name, ownerReferences: [controllerReference(rollout)] };
  const present = batchRelease ?? (await batchReleases.create(namespace, { metadata, spec }));
  const object = deepEqual(present.spec, spec) ? present : await batchReleases.replace({ ...present, spec });
  const canaryStatus: JsonObject = {
    currentBatch,
    batchState: currentStepState === 'StepUpgrade' ? 'Verifying' : 'Ready',
    updatedReplicas: updatedPods.length,
    updatedReadyReplicas: updatedPods.filter(isReady).length,
  };
  if (kept > 0) canaryStatus.noNeedUpdateReplicas = kept;
  const isSame = numberAt(object.status, 'canaryStatus', 'currentBatch') === currentBatch;
  const since = isSame ? textAt(object.status, 'canaryStatus', 'batchReadyTime') : undefined;
  if (canaryStatus.batchState === 'Ready')
    canaryStatus.batchReadyTime = since ?? timeText(pass.manager.now());
  const status = {
    phase,
    observedRolloutID: rolloutID,
    observedWorkloadReplicas: replicas,
    canaryStatus,
  };
  if (!deepEqual(status, object.status ?? null)) await batchReleases.replaceStatus({ ...object, status });
}

/** Labels updated pods with the number of their batch. */
async function labelPods(
  pass: RolloutPass,
  workload: RolloutWorkload,
  { currentStepIndex, observedRolloutID }: StepProgress,
): Promise<void> {
  const { object, revision, updatedPods } = workload;
  const steps = pass.plan.steps.slice(0, currentStepIndex);
  const sizes = steps.map(({ replicas = '100%' }) => sizeAt(pass, workload, replicas));
  for (const [pod, batch] of numberPods(updatedPods, sizes, observedRolloutID)) {
    const labels: Record<string, string> = { [ROLLOUT_ID]: observedRolloutID, [BATCH_ID]: String(batch) };
    // Their own controller does not set it, or sets it when it creates them.
    if (object.kind === 'Deployment') labels[CONTROLLER_REVISION_HASH] = revision;
    await pass.manager.pods.as('kruise-manager').merge(pod, { metadata: { labels } });
  }
}

/**
 * The batches, counted from 1, for the pods without one of this rollout, as far as batches have room: from the
 * current one down, so that a skipped batch gets some too.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/labelpatch/patcher.go
 */
function numberPods(updated: readonly Pod[], sizes: readonly number[], id: string): Map<Pod, number> {
  const room = sizes.map((size, index) => size - (sizes[index - 1] ?? 0));
  const without = updated.filter(({ metadata: { labels = {} } }) => {
    const number = labels[ROLLOUT_ID] === id ? Number(labels[BATCH_ID]) : NaN;
    if (Number.isNaN(number)) return true;
    room[number - 1] = (room[number - 1] ?? 0) - 1;
    return false;
  });
  const numbers = new Map<Pod, number>();
  for (let index = room.length - 1; index >= 0; index -= 1)
    for (const pod of without.splice(0, Math.max(0, room[index] ?? 0))) numbers.set(pod, index + 1);
  return numbers;
}
