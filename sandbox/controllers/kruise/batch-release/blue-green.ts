import { isJsonObject, type JsonObject, parseJson } from '@/lib/kube/json';
import { CONTROL_INFO, type ReleasePlan } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import {
  type Control,
  controlInfo,
  type ClaimedWorkload,
  isClaimed,
  type BatchTarget,
  workloadPatch,
} from '@/sandbox/controllers/kruise/batch-release/control';
import { isRolledOut, observeDeployment } from '@/sandbox/controllers/kruise/batch-release/deployment-pods';
import { STABLE_REVISION } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type Deployment } from '@/sandbox/controllers/objects/workloads';

export const ORIGINAL_STRATEGY = 'rollouts.kruise.io/original-deployment-strategy';

/** Pods that never reach this ready time keep the old ones running. */
const NEVER_AVAILABLE = { minReadySeconds: 2_147_483_646, progressDeadlineSeconds: 2_147_483_647 };

/**
 * All pods of both versions in one Deployment that never completes.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/batchrelease/control/bluegreenstyle
 */
export function blueGreenControl(held: ClaimedWorkload): Control {
  const { manager, resource } = held;
  const deployment = held.workload as Deployment;
  const { annotations = {} } = deployment.metadata;

  return {
    ...observeDeployment(manager, deployment),
    prepare: async () => {
      if (isClaimed(held)) return true;
      const saved = annotations[ORIGINAL_STRATEGY] ?? JSON.stringify(originalOf(deployment));
      await resource.merge(
        deployment,
        workloadPatch({ ...controlInfo(held.batchRelease), [ORIGINAL_STRATEGY]: saved }, {}, NEVER_AVAILABLE),
      );
      return false;
    },
    upgrade: async ({ part }: BatchTarget) => {
      const { paused, strategy } = deployment.spec;
      if (paused !== true && strategy.rollingUpdate?.maxSurge === part) return;
      const rollingUpdate = { maxSurge: part, maxUnavailable: 0 };
      const spec = { paused: null, strategy: { type: 'RollingUpdate', rollingUpdate } };
      await resource.merge(deployment, workloadPatch({}, {}, spec));
    },
    release: async (plan: ReleasePlan) => {
      const promotes = plan.batchPartition === undefined;
      if (annotations[CONTROL_INFO] !== undefined) {
        await resource.merge(
          deployment,
          promotes ? restored(deployment) : { metadata: { annotations: { [CONTROL_INFO]: null } } },
        );
        return false;
      }
      return !promotes || isRolledOut(deployment);
    },
  };
}

type Original = {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
  progressDeadlineSeconds?: number;
  minReadySeconds?: number;
};

function originalOf({ spec }: Deployment): Original {
  const { strategy, progressDeadlineSeconds, minReadySeconds } = spec;
  return {
    ...strategy.rollingUpdate,
    ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
    ...(minReadySeconds ? { minReadySeconds } : {}),
  };
}

function restored({ metadata }: Deployment): JsonObject {
  const saved = parseJson(metadata.annotations?.[ORIGINAL_STRATEGY] ?? '{}');
  const original: Original = isJsonObject(saved) ? saved : {};
  const { maxUnavailable, maxSurge, progressDeadlineSeconds = 600, minReadySeconds = 0 } = original;
  const rollingUpdate = {
    ...(maxUnavailable !== undefined && { maxUnavailable }),
    ...(maxSurge !== undefined && { maxSurge }),
  };
  return workloadPatch(
    { [CONTROL_INFO]: null, [ORIGINAL_STRATEGY]: null },
    { [STABLE_REVISION]: null },
    { paused: null, minReadySeconds, progressDeadlineSeconds, strategy: { rollingUpdate } },
  );
}
