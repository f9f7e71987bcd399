import { type WorkloadItem } from '@/lib/api/workloads';
import { changedMsOf, type GroupName, groupOf, hasChangedSince } from '@/components/fleet/fleet-filter';
import { keyOf } from '@/components/fleet/fleet-view';

const HOUR_MS = 3_600_000;

/** One rollout on the drawing, in milliseconds since 1970. */
export interface HourBar {
  key: string;
  group: GroupName;
  /** It ended badly: that is what its bar shows. */
  ended: 'failed' | 'rolledBack' | null;
  fromMs: number;
  /** When it was over; null while it is not, or when nobody can say when that was. */
  toMs: number | null;
  open: boolean;
  lane: number;
}

export interface LastHour {
  /** Every workload that changed, trouble first, then the latest. */
  items: readonly WorkloadItem[];
  /** Only those with a known beginning. */
  bars: readonly HourBar[];
  lanes: number;
  /** Those of which only the latest possible beginning is known. */
  uncertain: number;
}

/** Room between two bars on one lane. */
const GAP_MS = 90_000;

/** What changed within the last hour; what is still open runs to the end of the drawing on a lane of its own. */
export function lastHour(items: readonly WorkloadItem[], nowMs: number): LastHour {
  const changed = items.filter((item) => hasChangedSince(item, nowMs - HOUR_MS));
  const known = changed.filter((item) => startOf(item) !== null);
  const bars = known.map((item) => barOf(item)).sort(openFirst);
  const lanes = placeOnLanes(bars);
  return { items: changed.sort(byTrouble), bars, lanes, uncertain: changed.length - known.length };
}

function barOf(item: WorkloadItem): HourBar {
  const fromMs = startOf(item) ?? 0;
  const record = item.lastRollout?.record ?? null;
  const open = record === null ? item.state !== 'complete' : record.outcome === null;
  const end = record === null ? item.since : record.endedAt;
  const over = open || end === null ? null : Date.parse(end);
  const outcome = record?.outcome ?? null;
  return {
    key: keyOf(item),
    group: groupOf(item),
    ended: outcome === 'failed' || outcome === 'rolledBack' ? outcome : null,
    fromMs,
    toMs: over !== null && over >= fromMs ? over : null,
    open,
    lane: 0,
  };
}

function openFirst(a: HourBar, b: HourBar): number {
  return Number(b.open) - Number(a.open) || a.fromMs - b.fromMs;
}

/** Each bar goes to the first lane that is free by then. */
function placeOnLanes(bars: readonly HourBar[]): number {
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
  return order[groupOf(a)] - order[groupOf(b)] || (changedMsOf(b) ?? 0) - (changedMsOf(a) ?? 0);
}

/** When its last rollout began, where that is known exactly. */
function startOf({ lastRollout }: WorkloadItem): number | null {
  const at = lastRollout?.startedAt ?? lastRollout?.record?.startedAt ?? null;
  return at === null ? null : Date.parse(at);
}
