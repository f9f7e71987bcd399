import { TickLabels, tickLines } from '@/components/time-axis/tick-labels';
import type { HatchIds } from '@/components/timeline/hatches';
import { formatClock } from '@/lib/format/time';
import type { TimelineLayout } from '@/lib/timeline/layout';

/** The background of the lanes: lines at round times, and the time without records. */
export function TimelineGrid({ layout, ids }: { layout: TimelineLayout; ids: HatchIds }) {
  const { lanesTop, lanesBottom } = layout;
  return (
    <g aria-hidden="true" className="pointer-events-none">
      <path d={tickLines(layout.ticks, lanesTop, lanesBottom)} stroke="var(--hair)" />
      {layout.unrecorded.map(({ left, right, text }) => (
        <g key={left}>
          <rect
            x={left}
            y={lanesTop}
            width={right - left}
            height={lanesBottom - lanesTop}
            fill={`url(#${ids.unknown})`}
          />
          {text !== null && (
            <text x={(left + right) / 2} y={lanesTop - 6} textAnchor="middle">
              {text}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

/** The labels of the time axis: titles, the names of the lines, the break before the last hour, and now. */
export function TimelineAxis({
  layout,
  end,
  nowMs,
  timeZone,
}: {
  layout: TimelineLayout;
  /** Label of the end of the axis. */
  end: string;
  nowMs: number;
  timeZone: string;
}) {
  const { axis, lanesTop, lanesBottom, height } = layout;
  const axisY = height - 8;
  return (
    <g aria-hidden="true" className="pointer-events-none">
      {layout.titles.map(({ x, text }) => (
        <text key={x} x={x} y={14} className="fill-ink-2! font-medium">
          {text}
        </text>
      ))}
      <TickLabels ticks={layout.ticks} y={axisY} />
      {axis.breakAt && (
        <path
          d={`M${axis.breakAt.left + 9} ${lanesTop - 4}V${lanesBottom + 40}M${axis.breakAt.right - 9} ${lanesTop - 4}V${lanesBottom + 40}`}
          stroke="var(--line-2)"
          strokeDasharray="2 3"
        />
      )}
      <path d={`M${axis.nowX} ${lanesTop - 10}V${lanesBottom + 40}`} stroke="var(--ink)" strokeWidth="1.5" />
      <text x={axis.nowX} y={lanesTop - 14} textAnchor="middle" className="fill-ink! font-medium">
        {end}
      </text>
      <text x={axis.nowX} y={axisY} textAnchor="middle" className="fill-ink! font-medium">
        {formatClock(nowMs, timeZone).slice(0, 5)}
      </text>
    </g>
  );
}
