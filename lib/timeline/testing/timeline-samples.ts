import type { RevisionItem } from '@/lib/api/revisions';
import { buildLanes, type TimelineRevision } from '@/lib/timeline/lanes';
import { layoutTimeline, type TimelineInput } from '@/lib/timeline/layout';

type Activation = RevisionItem['activations'][number];

export const now = Date.parse('2026-09-17T12:32:00Z');

/** A time that many minutes before now. */
export function iso(minutesAgo: number): string {
  return new Date(now - minutesAgo * 60_000).toISOString();
}

export function activation(number: number, given: Partial<Activation> = {}): Activation {
  return {
    number,
    from: null,
    fromNotBefore: null,
    fromNotAfter: null,
    to: null,
    open: false,
    record: null,
    ...given,
  };
}

/** A revision that is not live and was never the target. */
export function timelineRevision(number: number, given: Partial<TimelineRevision> = {}): TimelineRevision {
  return {
    id: `rs-${number}`,
    number,
    alsoNumbers: [],
    target: false,
    live: false,
    pods: { total: 0, ready: 0 },
    createdAt: iso(1000 - number),
    activations: [],
    restart: false,
    version: `1.${number}`,
    note: 'not live',
    runningSinceMs: null,
    unreadySinceMs: null,
    retained: true,
    profile: [],
    ...given,
  };
}

/** The last hour, on a wide screen. */
export function layout(revisions: TimelineRevision[], given: Partial<TimelineInput> = {}) {
  return layoutTimeline({
    lanes: buildLanes(revisions, now),
    events: [],
    range: '1h',
    desired: 12,
    trouble: false,
    settled: false,
    createdMs: now - 86_400_000,
    nowMs: now,
    timeZone: 'UTC',
    width: 1000,
    compact: false,
    lanesMax: 20,
    ...given,
  });
}
