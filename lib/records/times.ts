import type { RolloutRecord } from '@/lib/api/record';

/** Clocks of two machines differ a little. */
const AHEAD_MS_MIN = 2_000;

/** Milliseconds of an RFC 3339 time; NaN for any other text, so that every comparison with it is false. */
export function ms(time: string | null): number {
  return time === null ? NaN : Date.parse(time);
}

/** The start of a rollout for sorting: the latest that it can have been; 0 where nothing is known of it. */
export function latestStartMs({
  startedAt,
  startedNotAfter,
  endedAt,
}: {
  startedAt: string | null;
  startedNotAfter: string | null;
  endedAt: string | null;
}): number {
  return ms(startedAt ?? startedNotAfter ?? endedAt) || 0;
}

export function laterOf(a: string, b: string | null): string {
  return b !== null && ms(b) > ms(a) ? b : a;
}

export function earlierOf(a: string, b: string | null): string {
  return b !== null && ms(b) < ms(a) ? b : a;
}

/** Kubernetes writes whole seconds: whether `time` can be at or after `bound`. */
export function isAtOrAfter(time: string, bound: string): boolean {
  return ms(time) >= Math.floor(ms(bound) / 1000) * 1000;
}

/**
 * The record without times after its observation: one that a clock ahead of this one wrote is cut. Pods keep theirs
 * until the end, to compare them with each other.
 */
export function cutTimes(record: RolloutRecord, at: string): RolloutRecord {
  let latest = at;
  const cut = <Time extends string | null>(time: Time): Time => {
    if (time === null || !(ms(time) > ms(at))) return time;
    latest = laterOf(time, latest);
    return at as Time;
  };
  const isOver = record.outcome !== null;
  const known: RolloutRecord = {
    ...record,
    startedAt: cut(record.startedAt),
    startedNotAfter: cut(record.startedNotAfter),
    endedAt: cut(record.endedAt),
    unwatched: record.unwatched.map(({ from, to }) => ({ from: cut(from), to: cut(to) })),
    spans: record.spans.map((span) => ({ ...span, from: cut(span.from), to: cut(span.to) })),
    events: record.events.map((event) => ({ ...event, at: cut(event.at) })),
    steps: record.steps.map((step) => ({
      ...step,
      startedAt: cut(step.startedAt),
      endedAt: cut(step.endedAt),
      pods: isOver ? step.pods.map((pod) => ({ ...pod, readyAt: cut(pod.readyAt) })) : step.pods,
    })),
  };
  if (latest === at) return record;
  const aheadMs = Math.max(ms(latest) - ms(at), record.clockAheadMs ?? 0);
  return aheadMs < AHEAD_MS_MIN ? known : { ...known, clockAheadMs: aheadMs };
}
