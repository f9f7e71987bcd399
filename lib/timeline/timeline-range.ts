export const rangeNames = ['1h', '24h', '7d', '3w', 'all'] as const;
/** How far back the timeline shows. */
export type RangeName = (typeof rangeNames)[number];

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const lengths: Record<Exclude<RangeName, 'all'>, number> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '3w': 21 * DAY_MS,
};

/** Room before the first known time, as a share of the range. */
const LEAD_SHARE = 0.04;
/** A younger workload would need ticks in seconds, which are useless. */
const ALL_MIN_MS = 3 * 60_000;
/** In an hour, the history of something younger than this would be crowded at one end. */
const YOUNG_MS = HOUR_MS / 3;

/** Where a range begins, in milliseconds since 1970; `all` begins a little before the earliest known time. */
export function rangeStart(name: RangeName, earliestMs: number, nowMs: number): number {
  if (name !== 'all') return nowMs - lengths[name];
  const length = Math.max(ALL_MIN_MS, nowMs - earliestMs);
  return nowMs - length * (1 + LEAD_SHARE);
}

/** The initial range of a page: all known time if that is three weeks or less, so that nothing is crowded. */
export function fittingRange(earliestMs: number, nowMs: number): RangeName {
  const age = nowMs - earliestMs;
  if (age > YOUNG_MS && age <= lengths['1h']) return '1h';
  return age <= lengths['3w'] ? 'all' : '3w';
}

/** The heading of the part before the last hour. */
export function rangeTitle(name: RangeName): string {
  switch (name) {
    case '1h':
      return 'Last hour';
    case '24h':
      return '24 hours';
    case '7d':
      return '7 days';
    case '3w':
      return '3 weeks';
    case 'all':
      return 'All history';
    default:
      return name satisfies never;
  }
}
