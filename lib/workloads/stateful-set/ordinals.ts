import { isActive } from '@/lib/history/assemble';
import type { PodSummary } from '@/lib/history/pod';
import { numberAt, textAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

type Spec = Pick<Workload, 'spec'>;

export function desiredOf({ spec }: Spec): number {
  return numberAt(spec, 'replicas') ?? 1;
}

export function strategyOf({ spec }: Spec): string {
  return textAt(spec, 'updateStrategy', 'type') ?? 'RollingUpdate';
}

/** Pods with a lower index stay on the current revision; 0 when nothing is held. */
export function partitionOf(workload: Spec): number {
  if (strategyOf(workload) !== 'RollingUpdate') return 0;
  return numberAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
}

/** One pod after the other, each waiting for the previous one; the default. */
export function isOrdered({ spec }: Spec): boolean {
  return textAt(spec, 'podManagementPolicy') !== 'Parallel';
}

/** Position of a pod in the set, counted from `spec.ordinals.start`; null for a name without an ordinal. */
export function indexOf({ spec }: Spec, podName: string): number | null {
  const ordinal = /-(\d+)$/.exec(podName)?.[1];
  return ordinal === undefined ? null : Number(ordinal) - (numberAt(spec, 'ordinals', 'start') ?? 0);
}

/** Active pods, the lowest index first. */
function sortByOrdinal(workload: Spec, pods: readonly PodSummary[]): PodSummary[] {
  const index = (pod: PodSummary) => indexOf(workload, pod.name) ?? -1;
  return pods.filter(isActive).sort((a, b) => index(a) - index(b));
}

/** Active pods in the order of an update: the highest index first. */
export function sortForUpdate(workload: Spec, pods: readonly PodSummary[]): PodSummary[] {
  return sortByOrdinal(workload, pods).reverse();
}

/** Which of `others`, pods of other revisions, a partition holds; the lowest index first. */
export function findHeldPods(workload: Spec, others: readonly PodSummary[], partition: number) {
  const pods = sortByOrdinal(workload, others).filter(
    (pod) => (indexOf(workload, pod.name) ?? Infinity) < partition,
  );
  return { number: pods.length, pods };
}

/**
 * The blocked pod that an ordered set waits for: the first that is not ready, when it is one of `others`, and in the
 * range to update. The controller stops there before it replaces pods, so a rollback does not replace it either.
 * https://github.com/kubernetes/kubernetes/issues/67250
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/statefulset/stateful_set_control.go
 */
export function findBlockingPod(
  workload: Spec,
  others: readonly PodSummary[],
  pods: readonly PodSummary[],
  partition = partitionOf(workload),
): PodSummary | null {
  if (!isOrdered(workload) || strategyOf(workload) === 'OnDelete') return null;
  const first = sortByOrdinal(workload, pods).find((pod) => !pod.ready);
  if (first === undefined || !others.some(({ uid }) => uid === first.uid)) return null;
  return (indexOf(workload, first.name) ?? -1) >= partition ? first : null;
}

/** How many at a time, and their order: a clause after "pods are replaced". */
export function paceByOrdinal(atOnce: number): string {
  if (atOnce === 1) return 'highest ordinal first, each after the previous one is ready';
  return `highest ordinal first, at most ${atOnce} at a time`;
}
