import type { Timeline, TimelineCounts } from '@/lib/api/timeline';
import type { TimeWindow } from '@/lib/timeline/time-window';

/** A column of the overview; shares of its height. */
export interface DensityColumn {
  fromMs: number;
  /** From 0 to 1, of all rollouts. */
  height: number;
  /** Of these, the failed ones, and those that were rolled back or reverted. */
  failed: number;
  back: number;
}

/**
 * The columns, the highest being 1. The height is the root of the count, so that small numbers stay visible
 * next to large ones.
 */
export function columnsOf(density: Timeline['density']): DensityColumn[] {
  if (density === null) return [];
  const totals = density.parts.map(({ counts }) => sumOf(counts));
  const highest = Math.sqrt(Math.max(1, ...totals));
  return density.parts.map(({ at, counts }, index) => {
    const total = totals[index] ?? 0;
    return {
      fromMs: Date.parse(at),
      height: Math.sqrt(total) / highest,
      failed: (counts.failed ?? 0) / Math.max(1, total),
      back: ((counts.rolledBack ?? 0) + (counts.undone ?? 0)) / Math.max(1, total),
    };
  });
}

const DAY_MS = 86_400_000;
const lengths = { day: DAY_MS, week: 7 * DAY_MS };

/** How much time the overview shows around a window. */
export function overviewSpanFor({ fromMs, toMs }: TimeWindow): 'day' | 'week' | 'all' {
  const length = toMs - fromMs;
  if (length <= DAY_MS / 2) return 'day';
  return length <= lengths.week / 2 ? 'week' : 'all';
}

/**
 * The window of the overview: it ends now where the given window lies within it, else it moves in steps of
 * half its length, so that it does not move with every small move of the given window.
 */
export function overviewWindow(
  span: 'day' | 'week' | 'all',
  window: TimeWindow,
  oldestMs: number,
  nowMs: number,
): TimeWindow {
  if (span === 'all') {
    const fromMs = Math.min(oldestMs, window.fromMs);
    return { fromMs: nowMs - fromMs < 60_000 ? nowMs - 60_000 : fromMs, toMs: nowMs };
  }
  const length = lengths[span];
  if (window.fromMs >= nowMs - length || window.toMs - window.fromMs >= length) {
    return { fromMs: Math.min(window.fromMs, nowMs - length), toMs: nowMs };
  }
  const step = length / 2;
  const middle = (window.fromMs + window.toMs) / 2;
  const fromMs = Math.round((middle - step) / step) * step;
  const covering = Math.min(fromMs, window.fromMs);
  return { fromMs: covering, toMs: Math.min(nowMs, Math.max(covering + length, window.toMs)) };
}

export function sumOf(counts: TimelineCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
