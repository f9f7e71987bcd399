import { type PodItem } from '@/lib/api/workloads';

export interface PodGroup {
  /** Id of the revision; null where the pods' revision is gone or unknown. */
  id: string | null;
  revision: number | null;
  target: boolean;
  pods: readonly PodItem[];
  ready: number;
}

/** Pods by revision: the target first, then the newest number, pods of no known revision last. Those in trouble lead. */
export function groupPods(pods: readonly PodItem[]): PodGroup[] {
  const byRevision = Map.groupBy(pods, (pod) => pod.revisionId);
  return [...byRevision]
    .map(([id, members]): PodGroup => ({
      id,
      revision: members[0]?.revision ?? null,
      target: members[0]?.target ?? false,
      pods: members.toSorted(byTrouble),
      ready: members.filter((pod) => pod.ready).length,
    }))
    .sort(
      (a, b) =>
        Number(b.target) - Number(a.target) ||
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
