import { isActive } from '@/lib/history/assemble';
import type { RevisionHistory } from '@/lib/history/revision';
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
export function sortByOrdinal(workload: Spec, pods: readonly PodSummary[]): PodSummary[] {
  const index = (pod: PodSummary) => indexOf(workload, pod.name) ?? -1;
  return pods.filter(isActive).sort((a, b) => index(a) - index(b));
}

/** Active pods below the partition that do not run the revision `id`. */
export function findHeldPods(
  workload: Spec,
  history: RevisionHistory,
  pods: readonly PodSummary[],
  id: string | undefined,
): PodSummary[] {
  const partition = partitionOf(workload);
  return sortByOrdinal(workload, pods).filter(
    (pod) =>
      (indexOf(workload, pod.name) ?? Infinity) < partition && history.revisionOfPod.get(pod.uid)?.id !== id,
  );
}

/**
 * The blocked pod that an ordered set waits for: the first that is not ready, when it runs another revision
 * than `id` and is in the range to update. The controller stops there before it replaces pods, so a rollback
 * does not replace it either. https://github.com/kubernetes/kubernetes/issues/67250
 */
export function findBlockingPod(
  workload: Spec,
  history: RevisionHistory,
  pods: readonly PodSummary[],
  id: string | undefined,
): PodSummary | null {
  if (!isOrdered(workload) || strategyOf(workload) !== 'RollingUpdate') return null;
  const first = sortByOrdinal(workload, pods).find((pod) => !pod.ready);
  if (first === undefined || history.revisionOfPod.get(first.uid)?.id === id) return null;
  return (indexOf(workload, first.name) ?? -1) >= partitionOf(workload) ? first : null;
}
