import { REVISION_KEY } from '@/lib/workloads/leader-worker-set/metadata';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { indexOf, type LeaderWorkerSet } from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { isRunningAndReady } from '@/sandbox/controllers/stateful-set/status';

/** An existing group: its leader exists, and so does the StatefulSet of its workers. */
export interface ObservedGroup {
  index: number;
  updated: boolean;
  ready: boolean;
}

/**
 * The groups as they are counted. One whose workers are not created yet does not exist.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (updateConditions, getReplicaStates)
 */
export function observeGroups(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leaders: StatefulSet | undefined,
  key: string,
): ObservedGroup[] {
  if (leaders === undefined) return [];
  const { namespace } = set.metadata;
  const isAlone = set.spec.leaderWorkerTemplate.size === 1;
  return manager.pods.store
    .inNamespace(namespace)
    .filter((pod) => isControlledBy(pod, leaders))
    .flatMap((pod) => {
      const workers = manager.statefulSets.store.get(`${namespace ?? '-'}/${pod.metadata.name}`);
      if (!isAlone && (workers === undefined || !isControlledBy(workers, pod))) return [];
      return [groupOf(pod, isAlone ? undefined : workers, key)];
    });
}

function groupOf(leader: Pod, workers: StatefulSet | undefined, key: string): ObservedGroup {
  const hasKey = ({ metadata }: Pod | StatefulSet) => metadata.labels?.[REVISION_KEY] === key;
  return {
    index: indexOf(leader),
    updated: hasKey(leader) && (workers === undefined || hasKey(workers)),
    ready: isRunningAndReady(leader) && (workers === undefined || isComplete(workers)),
  };
}

/** https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/statefulset/statefulset_utils.go */
function isComplete({ spec, status }: StatefulSet): boolean {
  return (
    (status.availableReplicas ?? 0) === spec.replicas && status.currentRevision === status.updateRevision
  );
}
