import { fittingTicks, TickLabels, tickLines } from '@/components/time-axis/tick-labels';
import { type Tick } from '@/lib/timeline/ticks';

/** The axis above the rows; sticky while they scroll. Put `ref` on an element as wide as the plot. */
export function TimeAxis({
  ref,
  columns,
  ticks,
  width,
  atX,
  atText,
  isLive,
  stickyPx,
}: {
  ref: (element: HTMLElement | null) => void;
  columns: readonly string[];
  ticks: readonly Tick[];
  width: number;
  /** Position of the highlighted moment, and its label. */
  atX: number | null;
  atText: string;
  isLive: boolean;
  stickyPx: number;
}) {
  const fitting = fittingTicks(ticks, isLive ? width - 30 : width);
  const shown = fitting.filter(({ x }) => atX === null || Math.abs(x - atX) > 50);
  return (
    <div
      aria-hidden="true"
      className="sticky z-5 flex border-b border-line bg-canvas max-desk:top-(--top)! max-desk:block"
      style={{ top: stickyPx }}
    >
      <div className="flex-none max-desk:hidden" style={{ width: `calc(${columns[0]} + ${columns[1]})` }} />
      <div ref={ref} data-plot="" className="h-[26px] min-w-0 flex-1">
        <svg width={width} height={26} className="block overflow-visible">
          <path d={tickLines(shown, 21, 26)} stroke="var(--line-2)" />
          <TickLabels ticks={shown} y={15} />
          {atX !== null && (
            <>
              <text x={atX} y={15} textAnchor="middle" style={{ fill: 'var(--accent)', fontWeight: 500 }}>
                {atText}
              </text>
              <path d={`M${atX - 4} 20h8l-4 6z`} fill="var(--accent)" />
            </>
          )}
          {isLive && (
            <text x={width} y={15} textAnchor="end" style={{ fill: 'var(--ink)', fontWeight: 500 }}>
              now
            </text>
          )}
        </svg>
      </div>
      <div className="flex-none max-desk:hidden" style={{ width: columns[3] }} />
    </div>
  );
}
