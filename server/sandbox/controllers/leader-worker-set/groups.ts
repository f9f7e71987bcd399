import { REVISION_KEY } from '@/lib/workloads/leader-worker-set/marks';
import { type World } from '@/server/sandbox/controllers/engine/world';
import {
  indexOf,
  type LeaderWorkerSet,
} from '@/server/sandbox/controllers/leader-worker-set/leader-worker-set';
import { isControlledBy } from '@/server/sandbox/controllers/objects/owner';
import { type Pod } from '@/server/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/server/sandbox/controllers/objects/workloads';
import { isRunningAndReady } from '@/server/sandbox/controllers/stateful-set/status';

/** A group that exists: its leader is there, and so is what makes its workers. */
export interface SeenGroup {
  index: number;
  updated: boolean;
  ready: boolean;
}

/**
 * The groups as they are counted. One whose workers nobody makes yet does not exist.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (updateConditions, getReplicaStates)
 */
export function seeGroups(
  world: World,
  set: LeaderWorkerSet,
  leaders: StatefulSet | undefined,
  key: string,
): SeenGroup[] {
  if (leaders === undefined) return [];
  const { namespace } = set.metadata;
  const isAlone = set.spec.leaderWorkerTemplate.size === 1;
  return world.pods.store
    .in(namespace)
    .filter((pod) => isControlledBy(pod, leaders))
    .flatMap((pod) => {
      const workers = world.statefulSets.store.get(`${namespace ?? '-'}/${pod.metadata.name}`);
      if (!isAlone && (workers === undefined || !isControlledBy(workers, pod))) return [];
      return [groupOf(pod, isAlone ? undefined : workers, key)];
    });
}

function groupOf(leader: Pod, workers: StatefulSet | undefined, key: string): SeenGroup {
  const hasKey = ({ metadata }: Pod | StatefulSet) => metadata.labels?.[REVISION_KEY] === key;
  return {
    index: indexOf(leader),
    updated: hasKey(leader) && (workers === undefined || hasKey(workers)),
    ready: isRunningAndReady(leader) && (workers === undefined || isWhole(workers)),
  };
}

/** https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/statefulset/statefulset_utils.go */
function isWhole({ spec, status }: StatefulSet): boolean {
  return (
    (status.availableReplicas ?? 0) === spec.replicas && status.currentRevision === status.updateRevision
  );
}
