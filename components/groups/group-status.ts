import type { GroupItem, GroupsItem } from '@/lib/api/groups';
import { capitalize } from '@/lib/format/text';

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
// prettier-ignore
export const groupAppearance: Record<GroupStatus, Appearance> = {
  disagrees: { word: 'Leader/worker revision mismatch', fill: 'var(--stuck-fill)', stroke: null, ink: 'text-stuck' },
  unknown: { word: 'Unknown revision', fill: 'none', stroke: 'var(--stuck)', ink: 'text-stuck' },
  rebuilding: { word: 'Being recreated', fill: 'var(--degraded-soft)', stroke: 'var(--degraded)', ink: 'text-degraded' },
  notReady: { word: 'Not ready', fill: 'none', stroke: 'var(--rev-live)', ink: 'text-degraded' },
  starting: { word: 'Starting', fill: 'none', stroke: 'var(--rev-target)', ink: 'text-rolling' },
  behind: { word: 'Pending', fill: 'var(--rev-live)', stroke: null, ink: 'text-ink-2' },
  held: { word: 'Held', fill: 'var(--rev-past)', stroke: null, ink: 'text-held' },
  updated: { word: 'Updated', fill: 'var(--rev-target)', stroke: null, ink: 'text-ink-3' },
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

/** "Rev 5, starting", "Rev 4, held by the partition", "Leader on rev 5, workers on rev 4". */
export function describeGroup(group: GroupItem): string {
  const status = groupStatusOf(group);
  const extra = group.surge ? ', surge' : '';
  switch (status) {
    case 'disagrees':
      return `Leader on ${revisionTextOf(group)}, workers on ${workerRevisionsText(group)}${extra}`;
    case 'unknown':
      return `Unknown revision: its object is missing${group.ready ? '' : ', not ready'}${extra}`;
    case 'rebuilding':
      return `Being recreated${extra}`;
    case 'held':
      return `${capitalize(revisionTextOf(group))}, ready, held by the partition${extra}`;
    case 'behind':
      return `${capitalize(revisionTextOf(group))}, ready, pending${extra}`;
    case 'notReady':
      return `${capitalize(revisionTextOf(group))}, not ready${extra}`;
    case 'starting':
      return `${capitalize(revisionTextOf(group))}, starting${extra}`;
    case 'updated':
      return `${capitalize(revisionTextOf(group))}, ready${extra}`;
    default:
      return status satisfies never;
  }
}

/** "rev 5", or the key of a revision without a number. */
export function revisionTextOf(group: GroupItem): string {
  return group.revision === null ? revisionLabelOf(group) : `rev ${group.revision}`;
}

/** What the group runs: the revision number, else the key. */
export function revisionLabelOf({ revision, key, unknownRevision }: GroupItem): string {
  if (revision !== null) return String(revision);
  return unknownRevision && key !== null ? key.slice(0, 16) : 'unknown';
}

function workerRevisionsText({ otherKeys }: GroupItem): string {
  if (otherKeys.length === 0) return 'another revision';
  return otherKeys
    .map(({ key, revision }) => (revision === null ? key.slice(0, 16) : `rev ${revision}`))
    .join(' and ');
}

/** The group that the rollout updates next; null where none remains. */
export function nextGroupIndex({ items }: Pick<GroupsItem, 'items'>): number | null {
  return items.findLast((group) => groupStatusOf(group) === 'behind')?.index ?? null;
}
