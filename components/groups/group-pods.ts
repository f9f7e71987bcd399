import type { PodItem } from '@/lib/api/pods';

/**
 * The pods of each group by their index in it; where two have one name for a moment, the one that is not being
 * deleted.
 */
export type PodsByGroup = ReadonlyMap<number, ReadonlyMap<number, PodItem>>;

export function indexPodsByGroup(pods: readonly PodItem[]): PodsByGroup {
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
