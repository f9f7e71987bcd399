import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { isAvailable, isDeleting, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet, type StatefulSetStatus } from '@/sandbox/controllers/objects/workloads';
import { type ChosenRevisions } from '@/sandbox/controllers/revisions/controller-revisions';
import { revisionOfPod } from '@/sandbox/controllers/stateful-set/pods';

type Counts = Required<
  Pick<
    StatefulSetStatus,
    'replicas' | 'readyReplicas' | 'availableReplicas' | 'currentReplicas' | 'updatedReplicas'
  >
>;

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (computeReplicaStatus) */
export function countPods(
  pods: readonly Pod[],
  { current, update }: ChosenRevisions,
  minReadySeconds: number | undefined,
  now: number,
): Counts {
  const ready = pods.filter((pod) => pod.status.phase === 'Running' && isReady(pod));
  const staying = pods.filter((pod) => !isDeleting(pod)).map(revisionOfPod);
  return {
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: staying.filter((name) => name === current.metadata.name).length,
    updatedReplicas: staying.filter((name) => name === update.metadata.name).length,
  };
}

/** A rolling update that has completed makes the update revision the current one. */
export function statefulSetStatus(
  set: StatefulSet,
  { current, update, collisionCount }: ChosenRevisions,
  counts: Counts,
): StatefulSetStatus {
  const { replicas, updateStrategy } = set.spec;
  const isThrough =
    updateStrategy.type === 'RollingUpdate' &&
    [counts.updatedReplicas, counts.readyReplicas, counts.replicas].every((count) => count === replicas);
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    ...counts,
    currentReplicas: isThrough ? counts.updatedReplicas : counts.currentReplicas,
    currentRevision: (isThrough ? update : current).metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
  };
  return withoutZeros(status, ['replicas', 'availableReplicas', 'collisionCount']);
}
