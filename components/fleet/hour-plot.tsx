'use client';

import { useTimeZone } from '@/components/ui/time';
import { useWidth } from '@/components/ui/use-width';
import { type GroupName } from '@/components/fleet/fleet-filter';
import { type HourBar, type LastHour } from '@/components/fleet/last-hour';
import { formatClock } from '@/lib/format/time';
import { createAxis } from '@/lib/timeline/axis';
import { ticksOf } from '@/lib/timeline/ticks';

const HOUR_MS = 3_600_000;
const PLOT_HEIGHT = 90;
const LANE_HEIGHT_MAX = 11;
/** The label of the present ends the axis; a tick closer to it would overlap. */
const NOW_LABEL_WIDTH = 52;
/** More lanes than this would be too thin; the text counts the rest. */
export const LANES_MAX = 22;

const fills: Record<GroupName, string> = {
  look: 'var(--stuck-fill)',
  moving: 'var(--accent)',
  quiet: 'var(--complete-fill)',
};

const endedFills = { failed: 'var(--stuck-fill)', rolledBack: 'var(--back-fill)' };

/** The rollouts of the last hour, from start to end. Faint up to now while in progress. */
export function HourPlot({ hour, nowMs }: { hour: LastHour; nowMs: number }) {
  const { ref, width } = useWidth();
  const timeZone = useTimeZone();
  return (
    <div ref={ref} className="h-[108px] min-w-0">
      {width > 0 && <Plot hour={hour} nowMs={nowMs} width={width} timeZone={timeZone} />}
    </div>
  );
}

function Plot({
  hour,
  nowMs,
  width,
  timeZone,
}: {
  hour: LastHour;
  nowMs: number;
  width: number;
  timeZone: string;
}) {
  const axis = createAxis(nowMs - HOUR_MS, nowMs, 0, width);
  const [panel] = axis.panels;
  const pitch = Math.min(LANE_HEIGHT_MAX, PLOT_HEIGHT / Math.min(LANES_MAX, Math.max(1, hour.lanes)));
  const clock = (ms: number) => formatClock(ms, timeZone).slice(0, 5);
  const label = `${hour.bars.length} rollouts between ${clock(nowMs - HOUR_MS)} and ${clock(nowMs)}, each from its beginning to its end`;
  return (
    <svg width={width} height={108} role="img" aria-label={label} className="block overflow-visible">
      {panel &&
        ticksOf(panel, timeZone, 60)
          .filter((tick) => axis.x(tick.ms) < width - NOW_LABEL_WIDTH)
          .map((tick) => (
            <g key={tick.ms}>
              <path d={`M${axis.x(tick.ms)} 0V90`} stroke="var(--hair)" />
              <text x={axis.x(tick.ms)} y={104} textAnchor="middle">
                {tick.label}
              </text>
            </g>
          ))}
      {hour.bars
        .filter((bar) => bar.lane < LANES_MAX)
        .map((bar) => (
          <HourRect
            key={bar.key}
            bar={bar}
            x={axis.x}
            top={bar.lane * pitch + 2}
            height={Math.max(2, pitch - 4)}
          />
        ))}
      <path d={`M${width - 0.75} 0V90`} stroke="var(--ink)" strokeWidth="1.5" />
      <text x={width} y={104} textAnchor="end" style={{ fill: 'var(--ink)' }}>
        {clock(nowMs)}
      </text>
    </svg>
  );
}

function HourRect({
  bar,
  x,
  top,
  height,
}: {
  bar: HourBar;
  x: (ms: number) => number;
  top: number;
  height: number;
}) {
  const left = x(bar.fromMs);
  const fill = bar.ended === null ? fills[bar.group] : endedFills[bar.ended];
  const right = bar.open ? x(Infinity) : bar.toMs === null ? left : x(bar.toMs);
  return (
    <>
      <rect
        x={left}
        y={top}
        width={Math.max(3, right - left)}
        height={height}
        rx={Math.min(1.5, height / 2)}
        fill={fill}
        fillOpacity={bar.open ? 0.2 : 1}
      />
      {bar.open && <rect x={left} y={top} width={3} height={height} rx={1} fill={fill} />}
    </>
  );
}
