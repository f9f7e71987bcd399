import type { EventItem } from '@/lib/api/pods';

/** An event on the event row. */
export interface EventMark {
  atMs: number;
  /** Of a warning; else a plain circle. */
  warning: boolean;
  label: string;
}

type MarkEvent = Pick<EventItem, 'type' | 'reason' | 'count' | 'first' | 'last'>;

/** Short labels for frequent reasons of Kubernetes; other warnings keep their own. */
const shortReasons: Record<string, string> = {
  BackOff: 'back-off',
  Failed: 'failed',
  FailedScheduling: 'no node fits',
  FailedCreate: 'pod not created',
  FailedMount: 'mount failed',
  FailedAttachVolume: 'attach failed',
  Unhealthy: 'probe failed',
  ProgressDeadlineExceeded: 'deadline passed',
  OOMKilling: 'OOM kill',
  Evicted: 'evicted',
  NodeNotReady: 'node lost',
};

const LABEL_LENGTH_MAX = 28;

/** One mark for each reason of a warning, at its first time, oldest first. */
export function eventMarks(events: readonly MarkEvent[]): EventMark[] {
  const byReason = new Map<string, { atMs: number; count: number }>();
  for (const event of events) {
    const time = event.first ?? event.last;
    if (event.type !== 'Warning' || time === null) continue;
    const known = byReason.get(event.reason);
    byReason.set(event.reason, {
      atMs: Math.min(known?.atMs ?? Infinity, Date.parse(time)),
      count: (known?.count ?? 0) + Math.max(1, event.count),
    });
  }
  return [...byReason]
    .map(([reason, { atMs, count }]) => ({
      atMs,
      warning: true,
      label: `${(shortReasons[reason] ?? reason).slice(0, LABEL_LENGTH_MAX)}${count > 1 ? ` ×${count}` : ''}`,
    }))
    .sort((a, b) => a.atMs - b.atMs);
}
