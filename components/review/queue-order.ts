import type { QueuedRecord } from '@/lib/api/review-queue';
import { HOUR, MINUTE } from '@/lib/format/duration';
import { latestStartMs } from '@/lib/records/times';

/** Longer ones deserve a look: something was slow. */
const QUICK_MS_MAX = 10 * MINUTE;

/** Rollouts of one workload that started in the same hour, in the order of the queue. */
export interface QueueGroup {
  key: string;
  records: QueuedRecord[];
}

export interface QueueSection {
  title: string;
  groups: QueueGroup[];
}

/**
 * The queue as it is worked through: groups with a rollout that failed first, each by its latest rollout, and within a
 * group those that failed first.
 */
export function orderQueue(records: readonly QueuedRecord[]): QueueSection[] {
  const groups = new Map<string, QueueGroup>();
  for (const record of [...records].sort((a, b) => latestStartMs(b) - latestStartMs(a))) {
    const { cluster, resource, namespace, name } = record.workload;
    const key = [cluster, resource, namespace, name, Math.floor(latestStartMs(record) / HOUR)].join('/');
    const group = groups.get(key);
    if (group) group.records.push(record);
    else groups.set(key, { key, records: [record] });
  }
  const isTroubled = (group: QueueGroup) => group.records.some(needsAttention);
  for (const { records: members } of groups.values()) {
    members.sort((a, b) => Number(needsAttention(b)) - Number(needsAttention(a)));
  }
  const all = [...groups.values()];
  return [
    { title: 'Needs attention', groups: all.filter(isTroubled) },
    { title: 'Other rollouts', groups: all.filter((group) => !isTroubled(group)) },
  ].filter((section) => section.groups.length > 0);
}

/** Failed, rolled back, reverted later, or stalled for a while. */
export function needsAttention({ outcome, revertedBy, spans }: QueuedRecord): boolean {
  if (outcome === 'failed' || outcome === 'rolledBack' || revertedBy !== null) return true;
  return spans.some(({ kind }) => kind === 'stuck');
}

/** Completed within ten minutes, without a stall or a wait, and not reverted: rarely worth a look of its own. */
export function isQuickSuccess(record: QueuedRecord): boolean {
  const { outcome, spans, startedAt, endedAt } = record;
  if (outcome !== 'completed' || spans.length > 0 || needsAttention(record)) return false;
  if (startedAt === null || endedAt === null) return false;
  return Date.parse(endedAt) - Date.parse(startedAt) <= QUICK_MS_MAX;
}
