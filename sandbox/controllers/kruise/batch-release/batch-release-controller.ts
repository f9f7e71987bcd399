import { canonicalJson, deepEqual } from '@/lib/kube/json';
import { numberAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  BATCH_RELEASE_FINALIZER,
  type BatchReleaseObject,
  type BatchReleaseStatus,
} from '@/sandbox/controllers/kruise/shared/batch-release-object';
import { blueGreenControl } from '@/sandbox/controllers/kruise/batch-release/blue-green';
import { blueGreenCloneSetControl } from '@/sandbox/controllers/kruise/batch-release/blue-green-clone-set';
import { canaryControl } from '@/sandbox/controllers/kruise/batch-release/canary-deployment';
import {
  type Control,
  type ClaimedWorkload,
  type BatchTarget,
} from '@/sandbox/controllers/kruise/batch-release/control';
import { daemonSetControl } from '@/sandbox/controllers/kruise/batch-release/daemon-set';
import { labelPods } from '@/sandbox/controllers/kruise/batch-release/label-pods';
import { partitionControl } from '@/sandbox/controllers/kruise/batch-release/partition-deployment';
import { revisionedControl } from '@/sandbox/controllers/kruise/batch-release/revisioned';
import {
  followKruise,
  type KruiseKinds,
  onWorkloadChange,
  workloadsOf,
} from '@/sandbox/controllers/kruise/shared/kruise-kinds';
import { ROLLBACK_IN_BATCH, sizeOf } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { isNativeDaemonSet } from '@/sandbox/controllers/kruise/shared/workload';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import { fnv1a } from '@/sandbox/controllers/revisions/hash';

/**
 * Simulates the BatchRelease controller of OpenKruise, which upgrades a workload as far as its Rollout has
 * progressed.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/batchrelease_controller.go
 */
export function runBatchReleases(manager: ControllerManager): void {
  const kinds = followKruise(manager);
  const work = manager.register((key) => syncBatchRelease(manager, kinds, key));
  kinds.batchReleases.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
  const addAll = (namespace: string | undefined) => {
    for (const release of kinds.batchReleases.resource?.store.inNamespace(namespace) ?? [])
      work.add(keyOf(release));
  };
  onWorkloadChange(manager, kinds, ({ metadata }) => addAll(metadata.namespace));
  for (const resource of [manager.replicaSets, manager.pods])
    resource.store.onChange(({ object, before }) => addAll((object ?? before)?.metadata.namespace));
}

async function syncBatchRelease(
  manager: ControllerManager,
  kinds: KruiseKinds,
  key: ObjectKey,
): Promise<void> {
  const releases = kinds.batchReleases.resource?.as('kruise-manager');
  const batchRelease = releases?.store.get(key);
  if (releases === undefined || batchRelease === undefined) return;
  const control = controlOf(manager, kinds, batchRelease);
  const { finalizers = [] } = batchRelease.metadata;
  if (isDeleting(batchRelease)) return releaseControl(releases, batchRelease, control?.control);
  if (!finalizers.includes(BATCH_RELEASE_FINALIZER)) {
    const metadata = { finalizers: [...finalizers, BATCH_RELEASE_FINALIZER] };
    await releases.merge(batchRelease, { metadata });
    return;
  }
  if (control === undefined) return;
  const status = await move(manager, batchRelease, control.control, control.replicas);
  const { generation = 1 } = batchRelease.metadata;
  const { releasePlan } = batchRelease.spec;
  const whole: BatchReleaseStatus = {
    ...status,
    observedGeneration: generation,
    observedReleasePlanHash: planHash(releasePlan),
    observedWorkloadReplicas: control.replicas,
    ...(releasePlan.rolloutID !== undefined && { observedRolloutID: releasePlan.rolloutID }),
  };
  if (deepEqual(whole, batchRelease.status)) return;
  await releases.replaceStatus({ ...batchRelease, status: whole });
}

interface Found {
  readonly control: Control;
  readonly replicas: number;
}

function controlOf(
  manager: ControllerManager,
  kinds: KruiseKinds,
  batchRelease: BatchReleaseObject,
): Found | undefined {
  const { workloadRef, releasePlan } = batchRelease.spec;
  const resource = workloadsOf(manager, kinds, workloadRef);
  const workload = resource?.store.get(`${batchRelease.metadata.namespace ?? '-'}/${workloadRef.name}`);
  if (resource === undefined || workload === undefined) return undefined;
  const held: ClaimedWorkload = { manager, batchRelease, resource, workload };
  const replicas =
    numberAt(workload.spec, 'replicas') ?? numberAt(workload.status, 'desiredNumberScheduled') ?? 1;
  if (isNativeDaemonSet(workload)) return { control: daemonSetControl(held), replicas };
  if (workloadRef.kind === 'CloneSet' && releasePlan.rollingStyle === 'BlueGreen')
    return { control: blueGreenCloneSetControl(held), replicas };
  if (workloadRef.kind !== 'Deployment') return { control: revisionedControl(held), replicas };
  switch (releasePlan.rollingStyle) {
    case 'Canary':
      return { control: canaryControl(held), replicas };
    case 'Partition':
      return { control: partitionControl(held), replicas };
    case 'BlueGreen':
      return { control: blueGreenControl(held), replicas };
    default:
      return releasePlan.rollingStyle satisfies never;
  }
}

async function releaseControl(
  releases: Resource<BatchReleaseObject>,
  batchRelease: BatchReleaseObject,
  control: Control | undefined,
): Promise<void> {
  const { finalizers = [] } = batchRelease.metadata;
  if (!finalizers.includes(BATCH_RELEASE_FINALIZER)) return;
  const { releasePlan } = batchRelease.spec;
  const isDone = batchRelease.status.phase === 'Completed' || control === undefined;
  if (!isDone && !(await control.release(releasePlan))) return;
  const rest = finalizers.filter((finalizer) => finalizer !== BATCH_RELEASE_FINALIZER);
  await releases.merge(batchRelease, { metadata: { finalizers: rest } });
}

async function move(
  manager: ControllerManager,
  { metadata, spec, status }: BatchReleaseObject,
  control: Control,
  replicas: number,
): Promise<BatchReleaseStatus> {
  const { releasePlan } = spec;
  const phase = status.phase ?? '';
  if (phase === 'Completed') return status;
  if (releasePlan.batchPartition === undefined && phase !== 'Finalizing')
    return { ...status, phase: 'Finalizing' };
  switch (phase) {
    case 'Preparing': {
      if (!(await control.prepare())) return status;
      const { stable, update } = control.revisions();
      const revisions = { updateRevision: update, ...(stable !== undefined && { stableRevision: stable }) };
      return { ...status, ...revisions, phase: 'Progressing' };
    }
    case 'Progressing':
      if (isGoingBackInBatches({ metadata, status }, control)) return { ...status, phase: 'Preparing' };
      return upgrade(manager, releasePlan.batchPartition ?? 0, { spec, status }, control, replicas);
    case 'Finalizing':
      return (await control.release(releasePlan)) ? { ...status, phase: 'Completed' } : status;
    default:
      return {
        ...status,
        phase: 'Preparing',
        canaryStatus: { currentBatch: releasePlan.batchPartition ?? 0 },
      };
  }
}

/** Then it starts over, with the stable revision as the new one. */
function isGoingBackInBatches(
  { metadata, status }: Pick<BatchReleaseObject, 'metadata' | 'status'>,
  control: Control,
): boolean {
  const { stable, update } = control.revisions();
  const inBatches = metadata.annotations?.[ROLLBACK_IN_BATCH] === 'true';
  return inBatches && update === stable && update !== status.updateRevision;
}

async function upgrade(
  manager: ControllerManager,
  batch: number,
  { spec, status }: Pick<BatchReleaseObject, 'spec' | 'status'>,
  control: Control,
  replicas: number,
): Promise<BatchReleaseStatus> {
  const present = status.canaryStatus ?? { currentBatch: batch };
  // Rolled back, or replaced by another version: the counts belong to the former one.
  if (control.revisions().update !== status.updateRevision)
    return { ...status, canaryStatus: { currentBatch: present.currentBatch, batchState: 'Upgrading' } };
  const counts = countsOf(control);
  const { batchReadyTime, ...rest } = present;
  if (present.currentBatch !== batch)
    return { ...status, canaryStatus: { ...counts, currentBatch: batch, batchState: 'Upgrading' } };
  const part = spec.releasePlan.batches[batch]?.canaryReplicas ?? '100%';
  const target: BatchTarget = { part, size: sizeOf(part, replicas), replicas };
  if (present.batchState !== 'Verifying' && present.batchState !== 'Ready') {
    await control.upgrade(target);
    return { ...status, canaryStatus: { ...counts, currentBatch: batch, batchState: 'Verifying' } };
  }
  await labelPods(manager, control, spec.releasePlan, replicas, batch);
  const { updated, updatedReady } = control.counts();
  const isReady = updated >= target.size && updatedReady >= target.size;
  if (present.batchState === 'Ready') {
    if (!isReady) return { ...status, canaryStatus: { ...rest, ...counts, batchState: 'Upgrading' } };
    return { ...status, canaryStatus: { ...present, ...counts } };
  }
  if (!isReady)
    return { ...status, canaryStatus: { currentBatch: batch, ...counts, batchState: 'Verifying' } };
  const readyAt = timeText(manager.now());
  return {
    ...status,
    canaryStatus: {
      currentBatch: batch,
      ...counts,
      batchState: 'Ready',
      batchReadyTime: batchReadyTime ?? readyAt,
    },
  };
}

/** Zeros are left out. */
function countsOf(control: Control): { updatedReplicas?: number; updatedReadyReplicas?: number } {
  const { updated, updatedReady } = control.counts();
  return {
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(updatedReady > 0 && { updatedReadyReplicas: updatedReady }),
  };
}

function planHash(plan: BatchReleaseObject['spec']['releasePlan']): string {
  const text = canonicalJson(plan);
  return fnv1a(Buffer.from(text)).toString(16).padStart(8, '0');
}
