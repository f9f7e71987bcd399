import { type KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
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
  ADVANCED_CONTROL,
  advancedControl,
  DAEMON_SET_REVISIONS,
  ORIGINAL_UPDATE_TYPE,
} from '@/sandbox/controllers/kruise/batch-release/daemon-set-annotations';
import { isOf, podsOf } from '@/sandbox/controllers/kruise/batch-release/revisioned';
import { newestRevisions } from '@/sandbox/controllers/kruise/shared/workload';
import { isReady } from '@/sandbox/controllers/objects/pod';

/**
 * A native DaemonSet has no partition: it updates on deletion, and another controller deletes.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller/batchrelease/control/partitionstyle/nativedaemonset
 */
export function daemonSetControl(held: ClaimedWorkload): Control {
  const { manager, resource, workload } = held;
  const [update = '', stable = update] = newestRevisions(manager, workload);
  const updatedPods = podsOf(manager, workload).filter((pod) => isOf(pod, update));

  return {
    revisions: () => ({ stable, update }),
    prepare: async () => {
      if (isClaimed(held)) return true;
      const marks = {
        ...controlInfo(held.batchRelease),
        [DAEMON_SET_REVISIONS]: `canary-revision=${update},stable-revision=${stable}`,
      };
      await resource.merge(workload, workloadPatch(marks, {}, { updateStrategy: { type: 'OnDelete' } }));
      return false;
    },
    upgrade: async ({ size, replicas }: BatchTarget) => {
      const text = advancedControl({ kept: replicas - size, revision: update });
      if (workload.metadata.annotations?.[ADVANCED_CONTROL] === text) return;
      await resource.merge(workload, workloadPatch({ [ADVANCED_CONTROL]: text }, {}, {}));
    },
    counts: () => ({ updated: updatedPods.length, updatedReady: updatedPods.filter(isReady).length }),
    updatedPods: () => updatedPods,
    release: async (plan: ReleasePlan) => {
      const promotes = plan.batchPartition === undefined;
      const { annotations = {} } = workload.metadata;
      if (annotations[CONTROL_INFO] === undefined)
        return !promotes || plan.finalizingPolicy !== 'WaitResume' || isRolledOut(workload);
      const type = annotations[ORIGINAL_UPDATE_TYPE] ?? 'RollingUpdate';
      const marks = {
        [CONTROL_INFO]: null,
        [ADVANCED_CONTROL]: null,
        [DAEMON_SET_REVISIONS]: null,
        ...(promotes && { [ORIGINAL_UPDATE_TYPE]: null }),
      };
      await resource.merge(workload, workloadPatch(marks, {}, promotes ? { updateStrategy: { type } } : {}));
      return false;
    },
  };
}

function isRolledOut({ metadata, spec, status }: KubeObject): boolean {
  if (numberAt(status, 'observedGeneration') !== metadata.generation) return false;
  // An update by hand has nothing to wait for.
  if (textAt(spec, 'updateStrategy', 'type') === 'OnDelete') return true;
  return (
    (numberAt(status, 'updatedNumberScheduled') ?? 0) >= (numberAt(status, 'desiredNumberScheduled') ?? 0)
  );
}
