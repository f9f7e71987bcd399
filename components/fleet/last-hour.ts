import type { TimelineCounts } from '@/lib/api/timeline';
import type { Outcome } from '@/lib/api/record-values';
import type { WorkloadItem } from '@/lib/api/workloads';
import {
  changedMsOf,
  type GroupName,
  attentionGroupOf,
  hasChangedSince,
} from '@/components/fleet/fleet-filter';

const HOUR_MS = 3_600_000;

export const badOutcomes = ['failed', 'rolledBack', 'undone'] as const;
type BadOutcome = (typeof badOutcomes)[number];

/** The last rollout of a workload as a bar on the last hour, in shares (0 to 1) of that. */
export interface HourRow {
  item: WorkloadItem;
  group: GroupName;
  /** Whether it ended badly, which its bar then shows. */
  ended: BadOutcome | null;
  from: number;
  to: number;
  open: boolean;
}

export interface LastHour {
  /** Every workload whose last rollout started in it, the latest first. */
  rows: readonly HourRow[];
  /** Those of which only the latest possible start is known. */
  uncertain: number;
}

/** The workloads whose last rollout started within the last hour. */
export function summarizeLastHour(items: readonly WorkloadItem[], nowMs: number): LastHour {
  const started = items
    .filter((item) => hasChangedSince(item, nowMs - HOUR_MS))
    .sort((a, b) => (changedMsOf(b) ?? 0) - (changedMsOf(a) ?? 0));
  return {
    rows: started.map((item) => rowOf(item, nowMs)),
    uncertain: started.filter((item) => startOf(item) === null).length,
  };
}

export type EndedCounts = Record<Outcome, number>;

/**
 * The rollouts of the hour that ended, by outcome: as many as the archive counts, or as the rows show where it has none
 * or is a moment behind. Those of workloads that the states count are not among them.
 */
export function countEnded(rows: readonly HourRow[], recorded: TimelineCounts | undefined): EndedCounts {
  const byOutcome = Map.groupBy(rows, outcomeOf);
  const countOf = (outcome: keyof EndedCounts) => {
    const same = byOutcome.get(outcome) ?? [];
    const stated = same.filter((row) => !isOver(row)).length;
    return Math.max((recorded?.[outcome] ?? 0) - stated, same.length - stated);
  };
  return {
    failed: countOf('failed'),
    rolledBack: countOf('rolledBack'),
    undone: countOf('undone'),
    completed: countOf('completed'),
    superseded: countOf('superseded'),
    noPods: countOf('noPods'),
    unknown: countOf('unknown'),
  };
}

/** Whether its outcome tells more than the state of its workload. */
export function isOver(row: HourRow): boolean {
  return row.group === 'quiet' || (row.group !== 'look' && row.ended !== null);
}

/** Whether it stalled, failed or was rolled back. */
export function wentBadly(row: HourRow): boolean {
  return row.ended !== null || row.group === 'look';
}

/** Where nothing is recorded, a complete workload has completed its rollout. */
function outcomeOf({ item, group }: HourRow): keyof EndedCounts | null {
  const record = item.lastRollout?.record ?? null;
  if (record === null || (record.outcome === null && group === 'quiet'))
    return group === 'quiet' ? 'completed' : null;
  return record.outcome;
}

function rowOf(item: WorkloadItem, nowMs: number): HourRow {
  const fromMs = startOf(item) ?? changedMsOf(item) ?? nowMs;
  const record = item.lastRollout?.record ?? null;
  // Scaling is no rollout: the last one is over.
  const group = item.state === 'scaling' ? 'quiet' : attentionGroupOf(item);
  const open = record === null ? group !== 'quiet' : record.outcome === null;
  const end = record === null ? item.since : record.endedAt;
  const endMs = open ? nowMs : end === null ? fromMs : Math.max(fromMs, Date.parse(end));
  const outcome = record?.outcome ?? null;
  const shareOf = (ms: number) => Math.min(1, Math.max(0, 1 - (nowMs - ms) / HOUR_MS));
  return {
    item,
    group,
    ended: badOutcomes.find((bad) => bad === outcome) ?? null,
    from: shareOf(fromMs),
    to: shareOf(endMs),
    open,
  };
}

/** When its last rollout started, where that is known exactly. */
function startOf({ lastRollout }: WorkloadItem): number | null {
  const at = lastRollout?.startedAt ?? lastRollout?.record?.startedAt ?? null;
  return at === null ? null : Date.parse(at);
}
