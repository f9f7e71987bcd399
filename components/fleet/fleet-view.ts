import { type WorkloadItem } from '@/lib/api/workloads';
import { type WorkloadState } from '@/lib/workloads/status';
import {
  changedMsOf,
  type FleetChoice,
  type FleetScope,
  groupNames,
  type GroupName,
  groupOf,
  hasChangedSince,
  isChosen,
  isInScope,
} from '@/components/fleet/fleet-filter';

export type FleetRow =
  | { kind: 'group'; key: string; group: GroupName; count: number }
  | { kind: 'workload'; key: string; item: WorkloadItem };

export interface FleetView {
  rows: readonly FleetRow[];
  /** How many workloads are among the rows. */
  shown: number;
  /** Within the scope, whatever chip is pressed. */
  counts: { all: number; look: number; moving: number; changed: number; severalLive: number };
}

const HOUR_MS = 3_600_000;

/** The rows of the table: what is chosen, in groups, trouble first; in each the worst first, then what has waited longest. */
export function viewFleet(
  items: readonly WorkloadItem[],
  scope: FleetScope,
  choice: FleetChoice,
  nowMs: number,
): FleetView {
  const inScope = items.filter((item) => isInScope(item, scope));
  const chosen = inScope.filter((item) => isChosen(item, choice));
  return {
    rows: groupNames.flatMap((group) => rowsOf(group, chosen)),
    shown: chosen.length,
    counts: {
      all: inScope.length,
      look: inScope.filter((item) => groupOf(item) === 'look').length,
      moving: inScope.filter((item) => groupOf(item) === 'moving').length,
      changed: inScope.filter((item) => hasChangedSince(item, nowMs - HOUR_MS)).length,
      severalLive: inScope.filter((item) => item.revisions.live > 1).length,
    },
  };
}

/** What stands for a workload in the address and in lists: `deployments.apps/shop/cart`. */
export function keyOf({ resource, namespace, name }: WorkloadItem): string {
  return `${resource}/${namespace}/${name}`;
}

function rowsOf(group: GroupName, chosen: readonly WorkloadItem[]): FleetRow[] {
  const members = chosen.filter((item) => groupOf(item) === group);
  if (members.length === 0) return [];
  return [
    { kind: 'group', key: `group ${group}`, group, count: members.length },
    ...members
      .sort(group === 'quiet' ? byLatest : byWait)
      .map((item): FleetRow => ({ kind: 'workload', key: keyOf(item), item })),
  ];
}

/** The worst first; within a group of its own only. */
const severity: Record<WorkloadState, number> = {
  stuck: 0,
  deadlineExceeded: 0,
  failed: 0,
  degraded: 1,
  unknown: 2,
  rolling: 3,
  held: 4,
  waiting: 4,
  paused: 5,
  complete: 6,
};

/** What began last comes last in its group, and moves nothing that is looked at. */
function byWait(a: WorkloadItem, b: WorkloadItem): number {
  return severity[a.state] - severity[b.state] || begunMs(a) - begunMs(b) || byName(a, b);
}

function byLatest(a: WorkloadItem, b: WorkloadItem): number {
  return (changedMsOf(b) ?? 0) - (changedMsOf(a) ?? 0) || byName(a, b);
}

/** Behind all others where nothing tells when it began. */
function begunMs(item: WorkloadItem): number {
  return changedMsOf(item) ?? Number.MAX_VALUE;
}

/** Names break ties, so that rows never swap places by themselves. */
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
