import { positionOf, type TimeScale } from '@/lib/timeline/scale';
import { HOUR_MS } from '@/lib/timeline/timeline-range';

export interface Axis {
  /** One, or two where the last hour has its own scale. Oldest first. */
  panels: readonly TimeScale[];
  /** Where the axis is broken; null where it is not. */
  breakAt: { left: number; right: number } | null;
  nowX: number;
  /** Position of a time; earlier times are at the start of the axis, later ones at its end. */
  x: (ms: number) => number;
}

/** The last hour takes this share of the width, so that minutes are readable next to weeks. */
const HOUR_SHARE = 0.36;
const BREAK_WIDTH = 26;

/**
 * An axis from `startMs` to `nowMs` between two positions. Where more than the last hour is shown, the last
 * hour has its own scale after a break.
 */
export function createAxis(startMs: number, nowMs: number, left: number, right: number): Axis {
  const hourStart = nowMs - HOUR_MS;
  if (startMs >= hourStart) {
    return axisOf([{ fromMs: Math.min(startMs, nowMs - 1), toMs: nowMs, left, right }], null);
  }
  const middle = Math.round(right - (right - left) * HOUR_SHARE);
  return axisOf(
    [
      { fromMs: startMs, toMs: hourStart, left, right: middle - BREAK_WIDTH },
      { fromMs: hourStart, toMs: nowMs, left: middle, right },
    ],
    { left: middle - BREAK_WIDTH, right: middle },
  );
}

/** A time range as positions on the axis: a slice for each panel that it touches, oldest first. */
export function piecesOf(
  axis: Axis,
  fromMs: number,
  toMs: number,
): { left: number; right: number; cutLeft: boolean; cutRight: boolean }[] {
  return axis.panels
    .filter((panel) => touches(panel, fromMs, toMs, axis.panels.at(-1) === panel))
    .map((panel) => ({
      left: positionOf(panel, fromMs),
      right: positionOf(panel, toMs),
      cutLeft: fromMs < panel.fromMs,
      cutRight: toMs > panel.toMs,
    }));
}

function axisOf(panels: readonly TimeScale[], breakAt: Axis['breakAt']): Axis {
  const last = panels.at(-1);
  return {
    panels,
    breakAt,
    nowX: last?.right ?? 0,
    x(ms) {
      const panel = panels.findLast((each) => ms >= each.fromMs) ?? panels[0];
      return panel === undefined ? 0 : positionOf(panel, ms);
    },
  };
}

/** An instant on the border of two panels belongs to the later one. */
function touches(panel: TimeScale, fromMs: number, toMs: number, isLast: boolean): boolean {
  if (fromMs === toMs) return fromMs >= panel.fromMs && (isLast ? fromMs <= panel.toMs : fromMs < panel.toMs);
  return fromMs < panel.toMs && toMs > panel.fromMs;
}
