import type { Axis } from '@/lib/timeline/axis';
import type { LaneTransition } from '@/lib/timeline/lanes';
import { round } from '@/lib/timeline/stair-path';

export interface TransitionLine {
  kind: 'step' | 'back';
  /** Path data. */
  path: string;
  /** Its time is known. */
  certain: boolean;
  toLane: number;
}

/** How far the curve of a rollback extends, and the least where another one is near. */
const SWING = 30;
const SWING_MIN = 8;
/** The free space between a curve and the next one. */
const CURVE_GAP = 10;

/**
 * The lines between lanes: straight for a new template, a curve for a return; none for transitions before the
 * axis.
 */
export function layoutTransitions(
  transitions: readonly LaneTransition[],
  axis: Axis,
  middleOf: (lane: number) => number,
): TransitionLine[] {
  const startMs = axis.panels[0]?.fromMs ?? 0;
  const shown = transitions.filter((transition) => transition.span.startMax >= startMs);
  const ends = shown.filter(({ back }) => back).map(({ span }) => axis.x(span.startMax));
  return shown.map((transition) => {
    const certain = transition.direct && transition.span.startMin === transition.span.startMax;
    const from = middleOf(transition.fromLane);
    const to = middleOf(transition.toLane);
    const left = axis.x(transition.span.startMin);
    const right = axis.x(transition.span.startMax);
    return {
      kind: transition.back ? 'back' : 'step',
      certain,
      toLane: transition.toLane,
      path: transition.back
        ? curve(right, from, to, swingAt(right, ends, axis.nowX))
        : stair(left, right, from, to),
    } as const;
  });
}

/** To the right, and to the left where the axis ends; limited by the next curve on that side. */
function swingAt(x: number, ends: readonly number[], nowX: number): number {
  const side = x + SWING + 6 > nowX ? -1 : 1;
  const room = Math.min(...ends.map((end) => (end - x) * side).filter((distance) => distance > 0));
  return side * Math.max(SWING_MIN, Math.min(SWING, room - CURVE_GAP));
}

function stair(left: number, right: number, from: number, to: number): string {
  if (right - left < 1) return `M${round(right)} ${round(from)}V${round(to)}`;
  return `M${round(left)} ${round(from)}H${round((left + right) / 2)}V${round(to)}H${round(right)}`;
}

/** Curves out to one side and ends at the edge of the lane that it returns to. */
function curve(x: number, from: number, to: number, swing: number): string {
  const side = Math.sign(swing);
  const out = x + swing + side * 4;
  const edge = to > from ? to - 9 : to + 9;
  return `M${round(x + side * 3)} ${round(from)}C${round(out)} ${round(from)} ${round(out)} ${round(edge - Math.sign(to - from) * 6)} ${round(x + side * 7)} ${round(edge)}`;
}
