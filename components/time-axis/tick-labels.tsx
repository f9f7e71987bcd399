import type { Tick } from '@/lib/timeline/ticks';

/** The names of the ticks, centered at them as far as they stay within the left edge. */
export function TickLabels({ ticks, y }: { ticks: readonly Tick[]; y: number }) {
  return ticks.map(({ ms, x, label }) => (
    <text key={ms} x={centerOf({ x, label })} y={y} textAnchor="middle">
      {label}
    </text>
  ));
}

/** Those whose names end before the right edge, without a first one that would reach the second. */
export function fittingTicks(ticks: readonly Tick[], right: number): readonly Tick[] {
  const before = ticks.filter(({ x, label }) => x + halfWidthOf(label) < right);
  const [first, second] = before;
  if (first === undefined || second === undefined) return before;
  const gap = centerOf(second) - halfWidthOf(second.label) - centerOf(first) - halfWidthOf(first.label);
  return gap < GAP_MIN ? before.slice(1) : before;
}

/** Between two names, in pixels. */
const GAP_MIN = 6;

/** Where a name is centered: at its tick, or as near to it as the left edge allows. */
function centerOf({ x, label }: Pick<Tick, 'x' | 'label'>): number {
  return Math.max(x, halfWidthOf(label));
}

/** About half the width of a name, in pixels. */
function halfWidthOf(label: string): number {
  return label.length * 3.2;
}

/** Path data of vertical lines at the ticks. */
export function tickLines(ticks: readonly Tick[], top: number, bottom: number): string {
  return ticks.map(({ x }) => `M${x.toFixed(1)} ${top}V${bottom}`).join('');
}
