'use client';

import { useTimeZone } from '@/components/ui/time';
import { useWidth } from '@/components/ui/use-width';
import { type GroupName } from '@/components/fleet/fleet-filter';
import { TickLabels, tickLines } from '@/components/time-axis/tick-labels';
import { type HourBar, type LastHour } from '@/components/fleet/last-hour';
import { formatClock } from '@/lib/format/time';
import { positionOf, type TimeScale } from '@/lib/timeline/scale';
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
  const scale = { fromMs: nowMs - HOUR_MS, toMs: nowMs, left: 0, right: width };
  const ticks = ticksOf(scale, timeZone, 60).filter(({ x }) => x < width - NOW_LABEL_WIDTH);
  const pitch = Math.min(LANE_HEIGHT_MAX, PLOT_HEIGHT / Math.min(LANES_MAX, Math.max(1, hour.lanes)));
  const clock = (ms: number) => formatClock(ms, timeZone).slice(0, 5);
  const label = `${hour.bars.length} rollouts between ${clock(nowMs - HOUR_MS)} and ${clock(nowMs)}, each from its beginning to its end`;
  return (
    <svg width={width} height={108} role="img" aria-label={label} className="block overflow-visible">
      <path d={tickLines(ticks, 0, PLOT_HEIGHT)} stroke="var(--hair)" />
      <TickLabels ticks={ticks} y={104} />
      {hour.bars
        .filter((bar) => bar.lane < LANES_MAX)
        .map((bar) => (
          <HourRect
            key={bar.key}
            bar={bar}
            scale={scale}
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
  scale,
  top,
  height,
}: {
  bar: HourBar;
  scale: TimeScale;
  top: number;
  height: number;
}) {
  const left = positionOf(scale, bar.fromMs);
  const fill = bar.ended === null ? fills[bar.group] : endedFills[bar.ended];
  const right = bar.open ? scale.right : bar.toMs === null ? left : positionOf(scale, bar.toMs);
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
