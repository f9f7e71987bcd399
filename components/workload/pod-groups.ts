import { type PodItem } from '@/lib/api/workloads';

export interface PodGroup {
  /** Stands for the group alone. */
  key: string;
  /** Id of the revision; null where the pods' revision is gone or unknown. */
  id: string | null;
  revision: number | null;
  /** The workload beside this one that has them. */
  beside?: PodItem['beside'];
  target: boolean;
  pods: readonly PodItem[];
  ready: number;
}

/**
 * Pods by revision: the target first, then those of a workload beside this one, then the newest number, pods of no known
 * revision last. Those in trouble lead.
 */
export function groupPods(pods: readonly PodItem[]): PodGroup[] {
  const groups = Map.groupBy(pods, ({ beside, revisionId }) => beside?.name ?? revisionId ?? 'unknown');
  return [...groups]
    .map(([key, members]): PodGroup => ({
      key,
      id: members[0]?.revisionId ?? null,
      ...(members[0]?.beside && { beside: members[0].beside }),
      revision: members[0]?.revision ?? null,
      target: members[0]?.target ?? false,
      pods: members.toSorted(byTrouble),
      ready: members.filter((pod) => pod.ready).length,
    }))
    .sort(
      (a, b) =>
        Number(b.target) - Number(a.target) ||
        Number(b.beside !== undefined) - Number(a.beside !== undefined) ||
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
