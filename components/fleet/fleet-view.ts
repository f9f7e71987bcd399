import type { WorkloadItem } from '@/lib/api/workloads';
import { rowKeyOf } from '@/components/queries/workload-ref';
import {
  changedMsOf,
  type FleetChoice,
  type FleetScope,
  groupNames,
  type GroupName,
  attentionGroupOf,
  isLongWait,
  matchesChoice,
  isInScope,
} from '@/components/fleet/fleet-filter';
import { groupTitles } from '@/components/fleet/row-text';
import type { AnchorLine } from '@/components/list/scroll-anchor';

export interface FleetView {
  lines: readonly AnchorLine<WorkloadItem>[];
  /** Number of workloads among the lines. */
  shown: number;
  /** Number within the scope, whichever chip is pressed. */
  counts: Record<GroupName | 'all' | 'severalLive', number>;
}

type Compare = (a: WorkloadItem, b: WorkloadItem) => number;

/**
 * Trouble first, the latest on top; then what waits, the longest first; within each group what `compareFirst` puts first.
 * No filter changes the order.
 */
export function sortFleet(items: readonly WorkloadItem[], compareFirst: Compare): readonly WorkloadItem[] {
  const groups = Map.groupBy(items, attentionGroupOf);
  return groupNames.flatMap((group) =>
    (groups.get(group) ?? []).sort((a, b) => compareFirst(a, b) || orders[group](a, b)),
  );
}

const orders: Record<GroupName, Compare> = {
  look: byLatestTrouble,
  you: byStart,
  moving: byStart,
  quiet: byLatestChange,
};

/** The rows of the table: of `sorted` the workloads that match, in groups. */
export function buildFleetView(
  sorted: readonly WorkloadItem[],
  scope: FleetScope,
  choice: FleetChoice,
  nowMs: number,
): FleetView {
  const inScope = sorted.filter((item) => isInScope(item, scope));
  const all = Map.groupBy(inScope, attentionGroupOf);
  const chosen = inScope.filter((item) => matchesChoice(item, choice));
  const shown = Map.groupBy(chosen, attentionGroupOf);
  const countOf = (group: GroupName) => all.get(group)?.length ?? 0;
  // A search, or the group itself, shows them all.
  const folds = choice.group === null && scope.words.length === 0;
  return {
    lines: groupNames.flatMap((group) => linesOf(group, shown.get(group) ?? [], folds ? nowMs : null)),
    shown: chosen.length,
    counts: {
      all: inScope.length,
      look: countOf('look'),
      you: countOf('you'),
      moving: countOf('moving'),
      quiet: countOf('quiet'),
      severalLive: inScope.filter((item) => item.revisions.live > 1).length,
    },
  };
}

/** The rows of a group under its heading. With `nowMs` one line stands for those that have waited for long. */
function linesOf(
  group: GroupName,
  members: readonly WorkloadItem[],
  nowMs: number | null,
): AnchorLine<WorkloadItem>[] {
  if (members.length === 0) return [];
  const shown = nowMs === null ? members : members.filter((item) => !isLongWait(item, nowMs));
  const folded = members.length - shown.length;
  return [
    { kind: 'group', key: group, ...groupTitles[group], count: members.length },
    ...shown.map((item): AnchorLine<WorkloadItem> => ({ kind: 'row', key: rowKeyOf(item), row: item })),
    ...(folded === 0
      ? []
      : [{ kind: 'fold' as const, key: `fold ${group}`, title: `${folded} for longer than 7 days` }]),
  ];
}

/** The latest trouble first; what Shiplog cannot tell is last. */
function byLatestTrouble(a: WorkloadItem, b: WorkloadItem): number {
  return (
    Number(a.state === 'unknown') - Number(b.state === 'unknown') ||
    troubleMsOf(b) - troubleMsOf(a) ||
    byName(a, b)
  );
}

/** Since when it needs attention, or else its last change. */
function troubleMsOf(item: WorkloadItem): number {
  return item.since === null ? (changedMsOf(item) ?? 0) : Date.parse(item.since);
}

/** The latest start comes last in its group, so that a new row does not move the others. */
function byStart(a: WorkloadItem, b: WorkloadItem): number {
  return startMsOrMax(a) - startMsOrMax(b) || byName(a, b);
}

function byLatestChange(a: WorkloadItem, b: WorkloadItem): number {
  return (changedMsOf(b) ?? 0) - (changedMsOf(a) ?? 0) || byName(a, b);
}

/** Last where the start is unknown. */
function startMsOrMax(item: WorkloadItem): number {
  return changedMsOf(item) ?? Number.MAX_VALUE;
}

/** Names break ties, so that rows never swap without a change. */
function byName(a: WorkloadItem, b: WorkloadItem): number {
  return (
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.resource, b.resource)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
