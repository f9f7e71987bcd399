import { type KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { CONTROL_INFO, type ReleasePlan } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import {
  type Control,
  controlInfo,
  type ClaimedWorkload,
  isClaimed,
  type BatchTarget,
  workloadPatch,
} from '@/sandbox/controllers/kruise/batch-release/control';
import { rollingPatch, rollingValue } from '@/sandbox/controllers/kruise/batch-release/rolling-update';
import {
  CONTROLLER_REVISION_HASH,
  hashPart,
  POD_TEMPLATE_HASH,
} from '@/sandbox/controllers/kruise/shared/workload';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isActive, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { type IntOrString } from '@/sandbox/controllers/objects/workloads';

/**
 * Kinds whose own controllers update pods down to a partition.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/batchrelease/control/partitionstyle
 */
export function revisionedControl(held: ClaimedWorkload): Control {
  const { manager, resource, workload } = held;
  const update = textAt(workload.status, 'updateRevision') ?? textAt(workload.status, 'daemonSetHash') ?? '';
  const stable = textAt(workload.status, 'currentRevision');
  const updatedPods = podsOf(manager, workload).filter((pod) => isOf(pod, update));

  return {
    revisions: () => ({ ...(stable !== undefined && { stable }), update }),
    prepare: async () => {
      if (isClaimed(held)) return true;
      await resource.merge(workload, workloadPatch(controlInfo(held.batchRelease), {}, {}));
      return false;
    },
    upgrade: async (target: BatchTarget) => {
      const kept = keptOf(workload, target);
      if (rollingValue(workload, 'partition') !== kept)
        await resource.merge(workload, { spec: rollingPatch(workload, { partition: kept }) });
    },
    counts: () => ({
      updated: numberAt(workload.status, 'updatedReplicas') ?? updatedPods.length,
      updatedReady: numberAt(workload.status, 'updatedReadyReplicas') ?? updatedPods.filter(isReady).length,
    }),
    updatedPods: () => updatedPods,
    release: async (plan: ReleasePlan) => {
      const promotes = plan.batchPartition === undefined;
      if (workload.metadata.annotations?.[CONTROL_INFO] !== undefined) {
        const spec = promotes ? rollingPatch(workload, { partition: null }) : {};
        await resource.merge(workload, workloadPatch({ [CONTROL_INFO]: null }, {}, spec));
        return false;
      }
      return !promotes || plan.finalizingPolicy !== 'WaitResume' || isAllUpdated(workload, updatedPods);
    },
  };
}

export function podsOf(manager: ControllerManager, workload: KubeObject): Pod[] {
  return manager.pods.store
    .inNamespace(workload.metadata.namespace)
    .filter((pod) => isControlledBy(pod, workload) && isActive(pod));
}

export function isOf({ metadata }: Pod, update: string): boolean {
  const { labels = {} } = metadata;
  const own = labels[CONTROLLER_REVISION_HASH] ?? labels[POD_TEMPLATE_HASH] ?? '';
  return own !== '' && update !== '' && hashPart(own) === hashPart(update);
}

/** The number or percentage that stays old; a percentage where that is exact. */
function keptOf({ kind }: KubeObject, { part, size, replicas }: BatchTarget): IntOrString {
  const kept = replicas - size;
  if (kind !== 'CloneSet' || typeof part === 'number' || replicas === 0) return kept;
  const percent = Math.floor((kept * 100) / replicas);
  return Math.ceil((percent * replicas) / 100) === kept ? `${percent}%` : kept;
}

function isAllUpdated({ spec, status, metadata }: KubeObject, updated: readonly Pod[]): boolean {
  if (numberAt(status, 'observedGeneration') !== metadata.generation) return false;
  const wanted = numberAt(spec, 'replicas') ?? numberAt(status, 'desiredNumberScheduled') ?? 0;
  return updated.filter(isReady).length >= wanted;
}
