import { type Tick } from '@/lib/timeline/ticks';

/** The names of the ticks, centered at them. */
export function TickLabels({ ticks, y }: { ticks: readonly Tick[]; y: number }) {
  return ticks.map(({ ms, x, label }) => (
    <text key={ms} x={x} y={y} textAnchor="middle">
      {label}
    </text>
  ));
}

/** Path data of vertical lines at the ticks. */
export function tickLines(ticks: readonly Tick[], top: number, bottom: number): string {
  return ticks.map(({ x }) => `M${x.toFixed(1)} ${top}V${bottom}`).join('');
}
