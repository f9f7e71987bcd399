import { isJsonObject, parseJson } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt } from '@/lib/kube/read';
import { CONTROL_INFO, type ReleasePlan } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import { ORIGINAL_STRATEGY } from '@/sandbox/controllers/kruise/batch-release/blue-green';
import {
  type Control,
  controlInfo,
  type ClaimedWorkload,
  isClaimed,
  type BatchTarget,
  workloadPatch,
} from '@/sandbox/controllers/kruise/batch-release/control';
import { revisionedControl } from '@/sandbox/controllers/kruise/batch-release/revisioned';
import { rollingPatch, rollingValue } from '@/sandbox/controllers/kruise/batch-release/rolling-update';
import { type IntOrString } from '@/sandbox/controllers/objects/workloads';

/** Pods that never reach this ready time keep the old ones running. */
const NEVER_AVAILABLE_S = 2_147_483_646;

/**
 * All pods of both versions in one CloneSet, by its surge.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/batchrelease/control/bluegreenstyle/cloneset
 */
export function blueGreenCloneSetControl(held: ClaimedWorkload): Control {
  const { resource, workload } = held;
  const { annotations = {} } = workload.metadata;

  return {
    ...revisionedControl(held),
    prepare: async () => {
      if (isClaimed(held)) return true;
      const saved = annotations[ORIGINAL_STRATEGY] ?? JSON.stringify(originalOf(workload));
      const marks = { ...controlInfo(held.batchRelease), [ORIGINAL_STRATEGY]: saved };
      // The initial partition of the rollout keeps all pods unchanged until the first step.
      const rolling = rollingPatch(workload, { paused: false, maxSurge: 1, maxUnavailable: 0 });
      await resource.merge(
        workload,
        workloadPatch(marks, {}, { ...rolling, minReadySeconds: NEVER_AVAILABLE_S }),
      );
      return false;
    },
    upgrade: async ({ part }: BatchTarget) => {
      if (rollingValue(workload, 'maxSurge') === part && rollingValue(workload, 'partition') === undefined)
        return;
      await resource.merge(workload, { spec: rollingPatch(workload, { partition: null, maxSurge: part }) });
    },
    release: async (plan: ReleasePlan) => {
      if (plan.batchPartition !== undefined) return true;
      if (annotations[CONTROL_INFO] !== undefined) {
        await resource.merge(workload, restored(workload));
        return false;
      }
      return isOneVersion(workload);
    },
  };
}

type Original = { maxUnavailable?: IntOrString; maxSurge?: IntOrString; minReadySeconds?: number };

function originalOf(workload: KubeObject): Original {
  const [maxUnavailable, maxSurge] = [
    rollingValue(workload, 'maxUnavailable'),
    rollingValue(workload, 'maxSurge'),
  ];
  const minReadySeconds = numberAt(workload.spec, 'minReadySeconds') ?? 0;
  return {
    ...(maxUnavailable !== undefined && { maxUnavailable }),
    ...(maxSurge !== undefined && { maxSurge }),
    ...(minReadySeconds > 0 && { minReadySeconds }),
  };
}

function restored(workload: KubeObject) {
  const saved = parseJson(workload.metadata.annotations?.[ORIGINAL_STRATEGY] ?? '{}');
  const original: Original = isJsonObject(saved) ? saved : {};
  const { maxUnavailable = null, maxSurge = null, minReadySeconds = 0 } = original;
  return workloadPatch(
    { [CONTROL_INFO]: null, [ORIGINAL_STRATEGY]: null },
    {},
    {
      ...rollingPatch(workload, { maxUnavailable, maxSurge, paused: null, partition: null }),
      minReadySeconds,
    },
  );
}

/** No pod of another revision than the desired one is left. */
function isOneVersion({ metadata, status }: KubeObject): boolean {
  const [ready, updated] = [numberAt(status, 'readyReplicas'), numberAt(status, 'updatedReadyReplicas')];
  return numberAt(status, 'observedGeneration') === metadata.generation && (ready ?? 0) === (updated ?? 0);
}
