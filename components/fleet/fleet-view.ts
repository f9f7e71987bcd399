import type { WorkloadItem } from '@/lib/api/workloads';
import { rowKeyOf } from '@/components/queries/workload-ref';
import type { WorkloadState } from '@/lib/api/workload-values';
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
 * Trouble first; within each group what `compareFirst` puts first, then by severity, then by the longest wait. No filter
 * changes the order.
 */
export function sortFleet(items: readonly WorkloadItem[], compareFirst: Compare): readonly WorkloadItem[] {
  const groups = Map.groupBy(items, attentionGroupOf);
  return groupNames.flatMap((group) => {
    const compare = group === 'quiet' ? byLatestChange : bySeverityThenStart;
    return (groups.get(group) ?? []).sort((a, b) => compareFirst(a, b) || compare(a, b));
  });
}

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

/** Most severe first; only within its own group. */
const severity: Record<WorkloadState, number> = {
  stuck: 0,
  deadlineExceeded: 0,
  failed: 0,
  degraded: 1,
  unknown: 2,
  rolling: 3,
  scaling: 3,
  held: 4,
  waiting: 4,
  paused: 5,
  complete: 6,
};

/** The latest start comes last in its group, so that a new row does not move the others. */
function bySeverityThenStart(a: WorkloadItem, b: WorkloadItem): number {
  return severity[a.state] - severity[b.state] || startMsOrMax(a) - startMsOrMax(b) || byName(a, b);
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
