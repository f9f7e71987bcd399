import type { TimeWindow } from '@/lib/timeline/time-window';

/** A stretch of time on a stretch of the screen, both linear: positions in pixels. */
export interface TimeScale extends TimeWindow {
  left: number;
  right: number;
}

/** The position of a time. Times outside the scale are at its ends, or at most `overhang` pixels beyond them. */
export function positionOf({ fromMs, toMs, left, right }: TimeScale, ms: number, overhang = 0): number {
  const x = left + ((ms - fromMs) / (toMs - fromMs)) * (right - left);
  return Math.min(right + overhang, Math.max(left - overhang, x));
}

/** The time at a position, which may lie outside the scale. */
export function timeAt({ fromMs, toMs, left, right }: TimeScale, x: number): number {
  return fromMs + ((x - left) / (right - left)) * (toMs - fromMs);
}
