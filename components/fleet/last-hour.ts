import { type WorkloadItem } from '@/lib/api/workloads';
import {
  changedMsOf,
  type GroupName,
  attentionGroupOf,
  hasChangedSince,
} from '@/components/fleet/fleet-filter';
import { nameKey } from '@/lib/kube/name-key';

const HOUR_MS = 3_600_000;

/** One rollout in the plot, in milliseconds since 1970. */
export interface HourBar {
  key: string;
  group: GroupName;
  /** Whether it ended badly, which its bar then shows. */
  ended: 'failed' | 'rolledBack' | null;
  fromMs: number;
  /** When it ended; null while it is in progress, or when the end is unknown. */
  toMs: number | null;
  open: boolean;
  lane: number;
}

export interface LastHour {
  /** Every workload that changed, trouble first, then the latest. */
  items: readonly WorkloadItem[];
  /** Only those with a known start. */
  bars: readonly HourBar[];
  lanes: number;
  /** Those of which only the latest possible start is known. */
  uncertain: number;
}

/** Gap between two bars on one lane. */
const GAP_MS = 90_000;

/** What changed within the last hour. A rollout in progress extends to the end of the plot on its own lane. */
export function summarizeLastHour(items: readonly WorkloadItem[], nowMs: number): LastHour {
  const changed = items.filter((item) => hasChangedSince(item, nowMs - HOUR_MS));
  const datable = changed.filter((item) => startOf(item) !== null);
  const bars = datable.map((item) => barOf(item)).sort(openFirst);
  const lanes = assignLanes(bars);
  return { items: changed.sort(byTrouble), bars, lanes, uncertain: changed.length - datable.length };
}

function barOf(item: WorkloadItem): HourBar {
  const fromMs = startOf(item) ?? 0;
  const record = item.lastRollout?.record ?? null;
  const open = record === null ? item.state !== 'complete' : record.outcome === null;
  const end = record === null ? item.since : record.endedAt;
  const endedMs = open || end === null ? null : Date.parse(end);
  const outcome = record?.outcome ?? null;
  return {
    key: nameKey(item),
    group: attentionGroupOf(item),
    ended: outcome === 'failed' || outcome === 'rolledBack' ? outcome : null,
    fromMs,
    toMs: endedMs !== null && endedMs >= fromMs ? endedMs : null,
    open,
    lane: 0,
  };
}

function openFirst(a: HourBar, b: HourBar): number {
  return Number(b.open) - Number(a.open) || a.fromMs - b.fromMs;
}

/** Each bar goes to the first lane that is free by its start. */
function assignLanes(bars: readonly HourBar[]): number {
  const ends: number[] = [];
  for (const bar of bars) {
    const free = ends.findIndex((end) => end + GAP_MS <= bar.fromMs);
    bar.lane = free === -1 ? ends.length : free;
    ends[bar.lane] = bar.open ? Infinity : (bar.toMs ?? bar.fromMs);
  }
  return ends.length;
}

const order: Record<GroupName, number> = { look: 0, moving: 1, quiet: 2 };

function byTrouble(a: WorkloadItem, b: WorkloadItem): number {
  return (
    order[attentionGroupOf(a)] - order[attentionGroupOf(b)] || (changedMsOf(b) ?? 0) - (changedMsOf(a) ?? 0)
  );
}

/** When its last rollout began, where that is known exactly. */
function startOf({ lastRollout }: WorkloadItem): number | null {
  const at = lastRollout?.startedAt ?? lastRollout?.record?.startedAt ?? null;
  return at === null ? null : Date.parse(at);
}
