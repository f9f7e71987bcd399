import { type GroupItem, type GroupsItem } from '@/lib/api/groups';

/** How a group is drawn, those that need attention first. */
const groupStatuses = [
  'disagrees',
  'unknown',
  'rebuilding',
  'notReady',
  'starting',
  'behind',
  'held',
  'updated',
] as const;
export type GroupStatus = (typeof groupStatuses)[number];

/** Statuses that need attention: neither updated nor as intended. */
export const statusesNeedingAttention: ReadonlySet<GroupStatus> = new Set([
  'disagrees',
  'unknown',
  'rebuilding',
  'notReady',
  'starting',
]);

interface Appearance {
  word: string;
  /** Class of the cell in the picture. */
  fill: string;
  stroke: string | null;
  /** Class of the label in a list. */
  ink: string;
}

/** The label carries the meaning on any background; the color only supports it. */
export const groupAppearance: Record<GroupStatus, Appearance> = {
  disagrees: {
    word: 'leader and workers disagree',
    fill: 'var(--stuck-fill)',
    stroke: null,
    ink: 'text-stuck',
  },
  unknown: { word: 'on an unknown revision', fill: 'none', stroke: 'var(--stuck)', ink: 'text-stuck' },
  rebuilding: {
    word: 'being rebuilt',
    fill: 'var(--degraded-soft)',
    stroke: 'var(--degraded)',
    ink: 'text-degraded',
  },
  notReady: { word: 'not ready', fill: 'none', stroke: 'var(--rev-live)', ink: 'text-degraded' },
  starting: { word: 'starting', fill: 'none', stroke: 'var(--rev-target)', ink: 'text-rolling' },
  behind: { word: 'waits its turn', fill: 'var(--rev-live)', stroke: null, ink: 'text-ink-2' },
  held: { word: 'held', fill: 'var(--rev-past)', stroke: null, ink: 'text-held' },
  updated: { word: 'updated and ready', fill: 'var(--rev-target)', stroke: null, ink: 'text-ink-3' },
};

export function groupStatusOf(group: GroupItem): GroupStatus {
  if (group.state === 'disagrees') return 'disagrees';
  if (group.unknownRevision) return 'unknown';
  if (group.state === 'rebuilding') return 'rebuilding';
  if (!group.ready) return group.updated ? 'starting' : 'notReady';
  if (group.updated) return 'updated';
  return group.held ? 'held' : 'behind';
}

/** The count of each status, without those that have none. */
export function countByStatus(items: readonly GroupItem[]): { status: GroupStatus; count: number }[] {
  const counts = new Map<GroupStatus, number>();
  for (const group of items) counts.set(groupStatusOf(group), (counts.get(groupStatusOf(group)) ?? 0) + 1);
  return groupStatuses.flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : [{ status, count }];
  });
}

/** Those that need attention first; within a status by descending number, the order of the rollout. */
export function sortByUrgency(items: readonly GroupItem[]): GroupItem[] {
  const rank = (group: GroupItem) => groupStatuses.indexOf(groupStatusOf(group));
  return items.toSorted((a, b) => rank(a) - rank(b) || b.index - a.index);
}

/** "on 5, starting", "held on 4 by the partition", "leader on 5, workers on 4". */
export function describeGroup(group: GroupItem): string {
  const status = groupStatusOf(group);
  const extra = group.surge ? ', one more for the time being' : '';
  switch (status) {
    case 'disagrees':
      return `leader on ${revisionLabelOf(group)}, workers on ${workerRevisionsText(group)}${extra}`;
    case 'unknown':
      return `on an unknown revision, whose object is missing${group.ready ? '' : ', not ready'}${extra}`;
    case 'rebuilding':
      return `being rebuilt${extra}`;
    case 'held':
      return `on ${revisionLabelOf(group)}, ready, held by the partition${extra}`;
    case 'behind':
      return `on ${revisionLabelOf(group)}, ready, waits its turn${extra}`;
    case 'notReady':
      return `on ${revisionLabelOf(group)}, not ready${extra}`;
    case 'starting':
      return `on ${revisionLabelOf(group)}, starting${extra}`;
    case 'updated':
      return `on ${revisionLabelOf(group)}, ready${extra}`;
    default:
      return status satisfies never;
  }
}

/** What the group runs: the revision number, else the key. */
export function revisionLabelOf({ revision, key, unknownRevision }: GroupItem): string {
  if (revision !== null) return String(revision);
  return unknownRevision && key !== null ? key.slice(0, 16) : 'an unknown revision';
}

function workerRevisionsText({ otherKeys }: GroupItem): string {
  if (otherKeys.length === 0) return 'another revision';
  return otherKeys
    .map(({ key, revision }) => (revision === null ? key.slice(0, 16) : String(revision)))
    .join(' and ');
}

/** The group that the rollout updates next; null where none remains. */
export function nextGroupIndex({ items }: Pick<GroupsItem, 'items'>): number | null {
  return items.findLast((group) => groupStatusOf(group) === 'behind')?.index ?? null;
}
