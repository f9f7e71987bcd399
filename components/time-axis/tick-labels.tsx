import { type Tick } from '@/lib/timeline/ticks';

/** The names of the ticks, centered at them as far as they stay within the left edge. */
export function TickLabels({ ticks, y }: { ticks: readonly Tick[]; y: number }) {
  return ticks.map(({ ms, x, label }) => (
    <text key={ms} x={Math.max(x, halfWidthOf(label))} y={y} textAnchor="middle">
      {label}
    </text>
  ));
}

/** Those whose names end before the right edge. */
export function ticksBefore(ticks: readonly Tick[], right: number): readonly Tick[] {
  return ticks.filter(({ x, label }) => x + halfWidthOf(label) < right);
}

/** About half the width of a name, in pixels. */
function halfWidthOf(label: string): number {
  return label.length * 3.2;
}

/** Path data of vertical lines at the ticks. */
export function tickLines(ticks: readonly Tick[], top: number, bottom: number): string {
  return ticks.map(({ x }) => `M${x.toFixed(1)} ${top}V${bottom}`).join('');
}
