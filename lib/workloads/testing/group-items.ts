import type { GroupItem, GroupsItem } from '@/lib/api/groups';

/** A group of three pods on revision 5, by default updated and ready. */
export function group(index: number, change: Partial<GroupItem> = {}): GroupItem {
  const isUpdated = change.updated ?? true;
  return {
    index,
    state: 'ready',
    revision: isUpdated ? 5 : 4,
    revisionId: isUpdated ? 'uid.key5' : 'uid.key4',
    unknownRevision: false,
    key: isUpdated ? 'key5' : 'key4',
    otherKeys: [],
    size: 3,
    pods: { total: 3, ready: 3 },
    leader: { uid: `uid-${index}`, name: `llama-${index}` },
    updated: isUpdated,
    ready: true,
    held: false,
    surge: false,
    ...change,
  };
}

export function groups(items: readonly GroupItem[], change: Partial<GroupsItem> = {}): GroupsItem {
  const going = items.filter(({ held, surge }) => !held && !surge);
  return {
    items: [...items],
    more: 0,
    desired: items.filter(({ surge }) => !surge).length,
    wanted: going.length,
    updated: going.filter(({ updated }) => updated).length,
    ready: going.filter(({ ready }) => ready).length,
    pods: items.reduce((sum, { size }) => sum + size, 0),
    partition: 0,
    order: 'Groups are replaced as a whole, the highest number first, at most 1 at a time.',
    afterwards: 'When all groups are through, the controller deletes every revision but theirs.',
    parts: [],
    partsNote: 'The controller writes these again.',
    ...change,
  };
}
