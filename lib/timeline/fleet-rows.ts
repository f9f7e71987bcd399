import type { TimelineItem } from '@/lib/api/timeline';
import { nameKey } from '@/lib/kube/name-key';
import { appearanceOf, type RolloutAppearance, rolloutAppearances } from '@/lib/timeline/appearance';
import type { TimeWindow } from '@/lib/timeline/time-window';

export const rowOrders = ['trouble', 'latest', 'place', 'nearest'] as const;
export type RowOrder = (typeof rowOrders)[number];

/** Which of the rollouts: those that started within the window, all, those that need attention, those in progress. */
export const rolloutSelections = ['began', 'all', 'look', 'open'] as const;
export type RolloutSelection = (typeof rolloutSelections)[number];

/** The rollouts of one workload within a window. */
export interface TimelineRow {
  /** `deployments.apps/shop/cart` */
  key: string;
  workload: TimelineItem['workload'];
  /** In the order in which they began. */
  rollouts: readonly TimelineItem[];
  /** The rollout that the row shows: the one with the most problems, of several the last. */
  mostUrgent: TimelineItem;
}

/** A rollout as a time range, in milliseconds since 1970. */
interface RolloutInterval {
  fromMs: number;
  toMs: number;
  /** Its start is only known to have been no later. */
  isFromBound: boolean;
  /** Its end was not observed, or its progress until then. */
  isEndUnobserved: boolean;
}

/** How a row shows a completed rollout that was reverted later. */
function urgencyOf(item: TimelineItem): number {
  return rolloutAppearances.indexOf(item.revertedBy === null ? appearanceOf(item) : 'back');
}

/** Null where its start is unknown. */
export function intervalOf(
  { startedAt, startedNotAfter, endedAt, outcome }: TimelineItem,
  nowMs: number,
): RolloutInterval | null {
  const began = startedAt ?? startedNotAfter;
  if (began === null) return null;
  const fromMs = Date.parse(began);
  const isEndUnobserved = outcome === 'unknown' || (outcome !== null && endedAt === null);
  const toMs = outcome === null ? nowMs : isEndUnobserved || endedAt === null ? fromMs : Date.parse(endedAt);
  return { fromMs, toMs: Math.max(fromMs, toMs), isFromBound: startedAt === null, isEndUnobserved };
}

/** Whether it was in progress at any time of the window, as the archive counts. */
export function isWithin(item: TimelineItem, { fromMs, toMs }: TimeWindow, nowMs: number): boolean {
  const interval = intervalOf(item, nowMs);
  if (interval === null || interval.fromMs > toMs) return false;
  return item.outcome === null || interval.toMs >= fromMs;
}

export function isSelected(item: TimelineItem, selection: RolloutSelection, window: TimeWindow): boolean {
  switch (selection) {
    case 'all':
      return true;
    case 'began':
      return hasBegunWithin(item, window);
    case 'look':
      return urgencyOf(item) <= rolloutAppearances.indexOf('back');
    case 'open':
      return item.outcome === null;
    default:
      return selection satisfies never;
  }
}

/** One row for each workload with a rollout, in the given order. `atMs` is the moment that `nearest` is about. */
export function buildRows(
  items: readonly TimelineItem[],
  order: RowOrder,
  atMs: number | null = null,
): TimelineRow[] {
  const rows = [...Map.groupBy(items, rowKeyOf)].map(([key, own]): TimelineRow => {
    const rollouts = own.toSorted((one, other) => startMs(one) - startMs(other));
    const mostUrgent = rollouts.reduce((best, item) => (urgencyOf(item) <= urgencyOf(best) ? item : best));
    return { key, workload: mostUrgent.workload, rollouts, mostUrgent };
  });
  return rows.sort(order === 'nearest' ? nearestFirst(atMs ?? Infinity) : comparers[order]);
}

function startMs({ startedAt, startedNotAfter }: TimelineItem): number {
  return Date.parse(startedAt ?? startedNotAfter ?? '') || 0;
}

type Comparer = (one: TimelineRow, other: TimelineRow) => number;

/** The same name in two clusters is two workloads, next to each other in the order of keys. */
function rowKeyOf({ workload }: TimelineItem): string {
  return `${nameKey(workload)} ${workload.cluster}`;
}

const byKey: Comparer = (one, other) => compare(one.key, other.key);
const latestFirst: Comparer = (one, other) => lastStart(other) - lastStart(one) || byKey(one, other);

/** The last start before a moment comes first: it is the likely cause. What started later follows. */
function nearestFirst(atMs: number): Comparer {
  const distance = ({ rollouts }: TimelineRow) => {
    const starts = rollouts.map(startMs);
    const before = starts.filter((ms) => ms <= atMs);
    return before.length > 0 ? [0, -Math.max(...before)] : [1, Math.min(...starts)];
  };
  return (one, other) => {
    const [group = 0, ms = 0] = distance(one);
    const [otherGroup = 0, otherMs = 0] = distance(other);
    return group - otherGroup || ms - otherMs || byKey(one, other);
  };
}

const comparers: Record<Exclude<RowOrder, 'nearest'>, Comparer> = {
  trouble: (one, other) => urgencyOf(one.mostUrgent) - urgencyOf(other.mostUrgent) || latestFirst(one, other),
  latest: latestFirst,
  place: (one, other) =>
    compare(one.workload.namespace, other.workload.namespace) ||
    compare(one.workload.name, other.workload.name) ||
    byKey(one, other),
};

function lastStart({ rollouts }: TimelineRow): number {
  return Math.max(...rollouts.map(startMs));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Rollouts by appearance, most problems first; completed ones come last. */
export function countAppearances(
  items: readonly TimelineItem[],
): { appearance: RolloutAppearance; count: number }[] {
  const appearances = items.map((item) => rolloutAppearances[urgencyOf(item)] ?? 'unknown');
  return rolloutAppearances
    .map((appearance) => ({ appearance, count: appearances.filter((each) => each === appearance).length }))
    .filter(({ count }) => count > 0);
}

/**
 * The rollouts that reverted an earlier one, by id, with the number that the revision had when it was left: a rollback
 * of a Deployment renumbers it.
 */
export function findReverts(items: readonly TimelineItem[]): ReadonlyMap<string, number | null> {
  return new Map(
    items.flatMap(({ revertedBy, from }) =>
      revertedBy === null ? [] : [[revertedBy, from?.number ?? null] as const],
    ),
  );
}

/** Whether it started within the window, and not before. */
export function hasBegunWithin(item: TimelineItem, { fromMs }: TimeWindow): boolean {
  return startMs(item) >= fromMs;
}
