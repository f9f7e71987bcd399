import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { isAvailable, isDeleting, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet, type StatefulSetStatus } from '@/sandbox/controllers/objects/workloads';
import { revisionOfPod } from '@/sandbox/controllers/stateful-set/pods';
import { type ChosenRevisions } from '@/sandbox/controllers/stateful-set/revisions';

export type Counts = Required<
  Pick<
    StatefulSetStatus,
    'replicas' | 'readyReplicas' | 'availableReplicas' | 'currentReplicas' | 'updatedReplicas'
  >
>;

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status.phase === 'Running' && isReady(pod);
}

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (computeReplicaStatus) */
export function countPods(
  pods: readonly Pod[],
  { current, update }: Pick<ChosenRevisions, 'current' | 'update'>,
  minReadySeconds: number | undefined,
  now: number,
): Counts {
  const ready = pods.filter(isRunningAndReady);
  const staying = pods.filter((pod) => !isDeleting(pod)).map(revisionOfPod);
  return {
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: staying.filter((name) => name === current.metadata.name).length,
    updatedReplicas: staying.filter((name) => name === update.metadata.name).length,
  };
}

/** The status to write; a rolling update that has completed makes the update revision the current one. */
export function statefulSetStatus(
  set: StatefulSet,
  chosen: ChosenRevisions,
  counts: Counts,
): StatefulSetStatus {
  const { replicas } = set.spec;
  const isThrough =
    set.spec.updateStrategy.type === 'RollingUpdate' &&
    counts.updatedReplicas === replicas &&
    counts.readyReplicas === replicas &&
    counts.replicas === replicas;
  const promoted = isThrough ? { ...counts, currentReplicas: counts.updatedReplicas } : counts;
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    ...promoted,
    currentRevision: (isThrough ? chosen.update : chosen.current).metadata.name,
    updateRevision: chosen.update.metadata.name,
    collisionCount: chosen.collisionCount,
  };
  return withoutZeros(status, ['replicas', 'availableReplicas', 'collisionCount']);
}

/** Conditions and the collision count alone do not cause a write. */
export function isInconsistent({ status: before }: StatefulSet, after: StatefulSetStatus): boolean {
  if ((after.observedGeneration ?? 0) > (before.observedGeneration ?? 0)) return true;
  const counts = [
    'replicas',
    'currentReplicas',
    'readyReplicas',
    'updatedReplicas',
    'availableReplicas',
  ] as const;
  if (counts.some((name) => (after[name] ?? 0) !== (before[name] ?? 0))) return true;
  return after.currentRevision !== before.currentRevision || after.updateRevision !== before.updateRevision;
}
