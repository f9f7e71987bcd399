import { type PodItem } from '@/lib/api/workloads';

/** The pods of each group by their place in it; where two bear one name for a moment, the one that stays. */
export type Members = ReadonlyMap<number, ReadonlyMap<number, PodItem>>;

export function membersOf(pods: readonly PodItem[]): Members {
  const groups = new Map<number, Map<number, PodItem>>();
  for (const pod of pods) {
    if (pod.group === undefined) continue;
    const { index, member } = pod.group;
    const group = groups.get(index) ?? new Map<number, PodItem>();
    groups.set(index, group);
    const other = group.get(member);
    if (other === undefined || other.deletedAt !== null) group.set(member, pod);
  }
  return groups;
}
