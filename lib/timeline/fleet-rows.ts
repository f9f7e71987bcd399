import { type TimelineItem } from '@/lib/api/timeline';
import { type TimeWindow } from '@/lib/timeline/fleet-window';

/** What a rollout looks like: how it ended, or what it does now. */
export const rolloutLooks = [
  'stuck',
  'failed',
  'back',
  'held',
  'rolling',
  'completed',
  'unknown',
  'superseded',
] as const;
export type RolloutLook = (typeof rolloutLooks)[number];

export const rowOrders = ['trouble', 'latest', 'place'] as const;
export type RowOrder = (typeof rowOrders)[number];

/** Which of the rollouts: all, those begun within the window, those that need a look, those that are open. */
export const rolloutChoices = ['all', 'began', 'look', 'open'] as const;
export type RolloutChoice = (typeof rolloutChoices)[number];

/** The rollouts of one workload within a window. */
export interface TimelineRow {
  /** `deployments.apps/shop/cart` */
  key: string;
  workload: TimelineItem['workload'];
  /** In the order in which they began. */
  rollouts: readonly TimelineItem[];
  /** The one that the row speaks of: the most troubled, of several the last. */
  told: TimelineItem;
}

/** A rollout as a stretch of time, in milliseconds since 1970. */
export interface Stretch {
  fromMs: number;
  toMs: number;
  /** Its start is only known to have been no later. */
  isFromBound: boolean;
  /** Nobody saw the end, or how it went until then. */
  isEndUnseen: boolean;
}

export function lookOf({ outcome, spans }: Pick<TimelineItem, 'outcome' | 'spans'>): RolloutLook {
  switch (outcome) {
    case 'completed':
    case 'superseded':
    case 'failed':
    case 'unknown':
      return outcome;
    case 'rolledBack':
      return 'back';
    case null:
      return spans.find(({ to }) => to === null)?.kind ?? 'rolling';
    default:
      return outcome satisfies never;
  }
}

/** What one that somebody took back later stands for in its row, though it completed. */
function troubleOf(item: TimelineItem): number {
  return rolloutLooks.indexOf(item.revertedBy === null ? lookOf(item) : 'back');
}

/** Null where nothing is known of when it began. */
export function stretchOf(
  { startedAt, startedNotAfter, endedAt, outcome }: TimelineItem,
  nowMs: number,
): Stretch | null {
  const began = startedAt ?? startedNotAfter;
  if (began === null) return null;
  const fromMs = Date.parse(began);
  const isEndUnseen = outcome === 'unknown' || (outcome !== null && endedAt === null);
  const toMs = outcome === null ? nowMs : isEndUnseen || endedAt === null ? fromMs : Date.parse(endedAt);
  return { fromMs, toMs: Math.max(fromMs, toMs), isFromBound: startedAt === null, isEndUnseen };
}

/** Whether it was under way at any moment of the window, as the archive counts. */
export function isWithin(item: TimelineItem, { fromMs, toMs }: TimeWindow, nowMs: number): boolean {
  const stretch = stretchOf(item, nowMs);
  if (stretch === null || stretch.fromMs > toMs) return false;
  return item.outcome === null || stretch.toMs >= fromMs;
}

export function isChosen(item: TimelineItem, choice: RolloutChoice, window: TimeWindow): boolean {
  switch (choice) {
    case 'all':
      return true;
    case 'began':
      return hasBegunWithin(item, window);
    case 'look':
      return troubleOf(item) <= rolloutLooks.indexOf('back');
    case 'open':
      return item.outcome === null;
    default:
      return choice satisfies never;
  }
}

/** One row for each workload with a rollout. By place they are in the order of namespaces, else of what matters. */
export function rowsOf(items: readonly TimelineItem[], order: RowOrder): TimelineRow[] {
  const rows = [...Map.groupBy(items, keyOf)].map(([key, own]): TimelineRow => {
    const rollouts = own.toSorted((one, other) => startMs(one) - startMs(other));
    const told = rollouts.reduce((best, item) => (troubleOf(item) <= troubleOf(best) ? item : best));
    return { key, workload: told.workload, rollouts, told };
  });
  return rows.sort(comparers[order]);
}

function keyOf({ workload: { resource, namespace, name } }: TimelineItem): string {
  return `${resource}/${namespace}/${name}`;
}

function startMs({ startedAt, startedNotAfter }: TimelineItem): number {
  return Date.parse(startedAt ?? startedNotAfter ?? '') || 0;
}

type Comparer = (one: TimelineRow, other: TimelineRow) => number;

const byKey: Comparer = (one, other) => compare(one.key, other.key);
const latestFirst: Comparer = (one, other) => lastStart(other) - lastStart(one) || byKey(one, other);

const comparers: Record<RowOrder, Comparer> = {
  trouble: (one, other) => troubleOf(one.told) - troubleOf(other.told) || latestFirst(one, other),
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

/** Workloads by what their row tells of them, in the order of trouble; what completed comes last. */
export function countLooks(rows: readonly TimelineRow[]): { look: RolloutLook; count: number }[] {
  const looks = rows.map(({ told }) => rolloutLooks[troubleOf(told)] ?? 'unknown');
  return rolloutLooks
    .map((look) => ({ look, count: looks.filter((each) => each === look).length }))
    .filter(({ count }) => count > 0);
}

/**
 * The rollouts that reverted an earlier one, by id, with the number that the revision had when it was left: a rollback
 * of a Deployment renumbers it.
 */
export function returnsAmong(items: readonly TimelineItem[]): ReadonlyMap<string, number | null> {
  return new Map(
    items.flatMap(({ revertedBy, from }) =>
      revertedBy === null ? [] : [[revertedBy, from?.number ?? null] as const],
    ),
  );
}

/** Whether it began within the window, and not before. */
export function hasBegunWithin(item: TimelineItem, { fromMs }: TimeWindow): boolean {
  return startMs(item) >= fromMs;
}
