import { type GroupItem, type GroupsItem } from '@/lib/api/workloads';

/** How a group is drawn, the most unusual first. */
export const groupLooks = [
  'disagrees',
  'unknown',
  'rebuilding',
  'notReady',
  'starting',
  'behind',
  'held',
  'updated',
] as const;
export type GroupLook = (typeof groupLooks)[number];

/** Those that somebody may want to look at: neither through nor where they are meant to be. */
export const unusualLooks: ReadonlySet<GroupLook> = new Set([
  'disagrees',
  'unknown',
  'rebuilding',
  'notReady',
  'starting',
]);

interface Face {
  word: string;
  /** Of the cell in the picture. */
  fill: string;
  stroke: string | null;
  /** Of the word in a list. */
  ink: string;
}

/** On an outline as on a ground it is the word that tells, the colour helps. */
export const groupFaces: Record<GroupLook, Face> = {
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

export function lookOf(group: GroupItem): GroupLook {
  if (group.state === 'disagrees') return 'disagrees';
  if (group.unknownRevision) return 'unknown';
  if (group.state === 'rebuilding') return 'rebuilding';
  if (!group.ready) return group.updated ? 'starting' : 'notReady';
  if (group.updated) return 'updated';
  return group.held ? 'held' : 'behind';
}

/** How many there are of each look; those that there are none of are left out. */
export function countLooks(items: readonly GroupItem[]): { look: GroupLook; count: number }[] {
  const counts = new Map<GroupLook, number>();
  for (const group of items) counts.set(lookOf(group), (counts.get(lookOf(group)) ?? 0) + 1);
  return groupLooks.flatMap((look) => {
    const count = counts.get(look);
    return count === undefined ? [] : [{ look, count }];
  });
}

/** The most unusual first, and of alike ones the highest number, as the rollout goes. */
export function inOrderOfNeed(items: readonly GroupItem[]): GroupItem[] {
  const rank = (group: GroupItem) => groupLooks.indexOf(lookOf(group));
  return items.toSorted((a, b) => rank(a) - rank(b) || b.index - a.index);
}

/** "on 5, starting", "held on 4 by the partition", "leader on 5, workers on 4". */
export function groupWords(group: GroupItem): string {
  const look = lookOf(group);
  const extra = group.surge ? ', one more for the time being' : '';
  switch (look) {
    case 'disagrees':
      return `leader on ${nameOf(group)}, workers on ${othersOf(group)}${extra}`;
    case 'unknown':
      return `on an unknown revision, whose object is missing${group.ready ? '' : ', not ready'}${extra}`;
    case 'rebuilding':
      return `being rebuilt${extra}`;
    case 'held':
      return `on ${nameOf(group)}, ready, held by the partition${extra}`;
    case 'behind':
      return `on ${nameOf(group)}, ready, waits its turn${extra}`;
    case 'notReady':
      return `on ${nameOf(group)}, not ready${extra}`;
    case 'starting':
      return `on ${nameOf(group)}, starting${extra}`;
    case 'updated':
      return `on ${nameOf(group)}, ready${extra}`;
    default:
      return look satisfies never;
  }
}

/** What it runs: the number, else the key. */
export function nameOf({ revision, key, unknownRevision }: GroupItem): string {
  if (revision !== null) return String(revision);
  return unknownRevision && key !== null ? key.slice(0, 16) : 'an unknown revision';
}

function othersOf({ otherKeys }: GroupItem): string {
  if (otherKeys.length === 0) return 'another revision';
  return otherKeys
    .map(({ key, revision }) => (revision === null ? key.slice(0, 16) : String(revision)))
    .join(' and ');
}

/** The group that the rollout comes to next; null where none is left to go. */
export function nextOf({ items }: Pick<GroupsItem, 'items'>): number | null {
  return items.findLast((group) => lookOf(group) === 'behind')?.index ?? null;
}
