import 'server-only';
import type { GroupItem, GroupsItem } from '@/lib/api/groups';
import { isActive } from '@/lib/history/assemble';
import { compareSources, numberOfSource } from '@/lib/history/revision-order';
import type { Group } from '@/lib/workloads/groups';
import type { Workload } from '@/lib/history/workload';
import type { Cluster } from '@/server/cluster/cluster';
import { can } from '@/server/views/rights';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';

/** A picture of more groups would be unreadable. */
const GROUPS_MAX = 2_000;
const PARTS_MAX = 50;

/**
 * The groups of the workload's pods; undefined for a kind that has none. Without names for a viewer who can't list
 * pods.
 */
export async function groupsItem(
  cluster: Cluster,
  viewer: Viewer,
  view: WorkloadView,
): Promise<GroupsItem | undefined> {
  const groups = view.kind.groups?.read(view);
  if (groups === undefined) return undefined;
  const mayList = await can(cluster, viewer, 'list', { group: '', plural: 'pods' }, view.workload.namespace);
  const { items, parts, ...counts } = groups;
  return {
    ...counts,
    items: items.slice(0, GROUPS_MAX).map((group) => itemOf(group, mayList)),
    more: Math.max(0, items.length - GROUPS_MAX),
    parts: parts.slice(0, PARTS_MAX).map(({ workload, ...part }) => ({
      ...part,
      revisions: revisionsOf(cluster, workload),
    })),
  };
}

function revisionsOf({ cache }: Cluster, part: Workload): GroupsItem['parts'][number]['revisions'] {
  return cache
    .sourcesOf(part)
    .toSorted(compareSources)
    .reverse()
    .map((source) => ({ name: source.name, number: numberOfSource(source) }));
}

function itemOf({ revision, leader, workers, otherKeys, ...facts }: Group, mayList: boolean): GroupItem {
  const pods = [...(leader === null ? [] : [leader]), ...workers].filter(isActive);
  return {
    ...facts,
    revision: revision?.number ?? null,
    revisionId: revision?.id ?? null,
    otherKeys: otherKeys.map(({ key, revision: other }) => ({ key, revision: other?.number ?? null })),
    pods: { total: pods.length, ready: pods.filter((pod) => pod.ready).length },
    leader: leader === null || !mayList ? null : { uid: leader.uid, name: leader.name },
  };
}
