import { isActive } from '@/lib/history/assemble';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionHistory } from '@/lib/history/revision';

/** Pods of the target, active or not. */
export function targetPods(history: RevisionHistory, pods: readonly PodSummary[]): PodSummary[] {
  return pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
}

/** Active pods of another revision than the target. */
export function outdatedPods(history: RevisionHistory, pods: readonly PodSummary[]): PodSummary[] {
  return pods.filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id !== history.target?.id);
}

/** When the last of the desired pods became ready; null while one is missing or does not report it. */
export function allReadySince(pods: readonly PodSummary[], desired: number): string | null {
  const times = pods.filter(isActive).flatMap(({ readyAt }) => (readyAt === null ? [] : [readyAt]));
  return times.length >= desired && desired > 0 ? (times.sort().at(-1) ?? null) : null;
}

/** When a pod last became ready, of those that are; `from`, RFC 3339, where that was before. */
export function lastReadyAt(pods: readonly PodSummary[], from: string): string {
  return pods.reduce(
    (latest, { readyAt }) => (readyAt !== null && readyAt > latest ? readyAt : latest),
    from,
  );
}
