import type { PodItem } from '@/lib/api/pods';

export interface RevisionPodGroup {
  /** The key of the group. */
  key: string;
  /** Id of the revision; null where the pods' revision is pruned or unknown. */
  id: string | null;
  revision: number | null;
  /** The other workload that owns the pods of a canary. */
  auxiliary?: PodItem['auxiliary'];
  target: boolean;
  pods: readonly PodItem[];
  ready: number;
}

/**
 * Pods by revision: the target first, then those of a canary's own workload, then by descending number, pods of
 * unknown revision last. Pods in trouble lead.
 */
export function groupPods(pods: readonly PodItem[]): RevisionPodGroup[] {
  const groups = Map.groupBy(pods, ({ auxiliary, revisionId }) => auxiliary?.name ?? revisionId ?? 'unknown');
  return [...groups]
    .map(([key, members]): RevisionPodGroup => ({
      key,
      id: members[0]?.revisionId ?? null,
      ...(members[0]?.auxiliary && { auxiliary: members[0].auxiliary }),
      revision: members[0]?.revision ?? null,
      target: members[0]?.target ?? false,
      pods: members.toSorted(byTrouble),
      ready: members.filter((pod) => pod.ready).length,
    }))
    .sort(
      (a, b) =>
        Number(b.target) - Number(a.target) ||
        Number(b.auxiliary !== undefined) - Number(a.auxiliary !== undefined) ||
        Number(a.id === null) - Number(b.id === null) ||
        (b.revision ?? 0) - (a.revision ?? 0),
    );
}

function byTrouble(a: PodItem, b: PodItem): number {
  return (
    Number(a.ready) - Number(b.ready) ||
    Number(a.block === null) - Number(b.block === null) ||
    a.name.localeCompare(b.name, 'en', { numeric: true })
  );
}

/** Whether a workload in trouble lists failing pods, or will when one has been starting for too long. */
export function hasFailingPods(pods: readonly PodItem[]): boolean {
  return pods.some(({ block, ready }) => block !== null && !ready);
}
