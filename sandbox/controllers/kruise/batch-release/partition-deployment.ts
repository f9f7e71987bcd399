import { CONTROL_INFO, type ReleasePlan } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import {
  type Control,
  controlInfo,
  type ClaimedWorkload,
  isClaimed,
  type BatchTarget,
  workloadPatch,
} from '@/sandbox/controllers/kruise/batch-release/control';
import {
  ADVANCED_CONTROLLED,
  DEPLOYMENT_EXTRA_STATUS,
  DEPLOYMENT_STRATEGY,
  strategyOf,
} from '@/sandbox/controllers/kruise/batch-release/deployment-strategy';
import { isRolledOut, observeDeployment } from '@/sandbox/controllers/kruise/batch-release/deployment-pods';
import { STABLE_REVISION } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type Deployment } from '@/sandbox/controllers/objects/workloads';

/**
 * Old and new pods in one paused Deployment, whose ReplicaSets another controller scales.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/batchrelease/control/partitionstyle/deployment
 */
export function partitionControl(held: ClaimedWorkload): Control {
  const { manager, resource } = held;
  const deployment = held.workload as Deployment;
  const { annotations = {}, labels = {} } = deployment.metadata;

  return {
    ...observeDeployment(manager, deployment),
    prepare: async () => {
      if (isClaimed(held) && labels[ADVANCED_CONTROLLED] === 'true') return true;
      const { rollingUpdate = {} } = deployment.spec.strategy;
      const strategy = { rollingStyle: 'Partition', rollingUpdate, partition: 0 };
      await resource.merge(
        deployment,
        workloadPatch(
          { ...controlInfo(held.batchRelease), [DEPLOYMENT_STRATEGY]: JSON.stringify(strategy) },
          { [ADVANCED_CONTROLLED]: 'true' },
          { paused: true, strategy: { type: 'Recreate', rollingUpdate: null } },
        ),
      );
      return false;
    },
    upgrade: async ({ part }: BatchTarget) => {
      const strategy = strategyOf(deployment);
      if (strategy === undefined || strategy.partition === part) return;
      const text = JSON.stringify({ ...strategy, partition: part });
      await resource.merge(deployment, workloadPatch({ [DEPLOYMENT_STRATEGY]: text }, {}, {}));
    },
    release: async (plan: ReleasePlan) => {
      const promotes = plan.batchPartition === undefined;
      if (annotations[CONTROL_INFO] !== undefined) {
        await resource.merge(deployment, promotes ? restored(deployment) : { metadata: withoutControl });
        return false;
      }
      return !promotes || plan.finalizingPolicy !== 'WaitResume' || isRolledOut(deployment);
    },
  };
}

const withoutControl = { annotations: { [CONTROL_INFO]: null } };

function restored(deployment: Deployment) {
  const rollingUpdate = strategyOf(deployment)?.rollingUpdate ?? {};
  return workloadPatch(
    { [CONTROL_INFO]: null, [DEPLOYMENT_STRATEGY]: null, [DEPLOYMENT_EXTRA_STATUS]: null },
    { [ADVANCED_CONTROLLED]: null, [STABLE_REVISION]: null },
    { paused: null, strategy: { type: 'RollingUpdate', rollingUpdate } },
  );
}
