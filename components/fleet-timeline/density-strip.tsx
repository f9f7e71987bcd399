'use client';

import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Segmented } from '@/components/ui/segmented';
import { useTimeZone } from '@/components/ui/time';
import { useWidth } from '@/components/ui/use-width';
import { Brush } from '@/components/time-axis/brush';
import { fittingTicks, TickLabels, tickLines } from '@/components/time-axis/tick-labels';
import { iso, type OverviewSpan, type TimelineAddress } from '@/components/fleet-timeline/timeline-address';
import type { TimelineWindow } from '@/components/fleet-timeline/use-timeline-window';
import type { ChangeAddress } from '@/components/list/list-address';
import type { Timeline } from '@/lib/api/timeline';
import { densityQuery, type TimelineFilters, type TimelinePeriod } from '@/components/queries/timeline';
import { columnsOf, type DensityColumn, overviewSpanFor, overviewWindow } from '@/lib/timeline/fleet-density';
import { positionOf, type TimeScale } from '@/lib/timeline/scale';
import { type Tick, ticksOf } from '@/lib/timeline/ticks';
import type { TimeWindow } from '@/lib/timeline/time-window';

const PLOT_PX = 56;
const PARTS = 240;
/** The stretch advances in steps of this length; each step is another request to the server. */
const STEP_MS = 60_000;

const spans = [
  { value: 'day', label: '24 h', name: '24 h overview' },
  { value: 'week', label: '7 d', name: '7 d overview' },
  { value: 'all', label: 'All', name: 'All recorded time' },
] as const;

/** Rollouts by start, over the recorded time or the stretch around the window. The window is drawn and moved here. */
export function DensityStrip({
  control,
  filters,
  address,
  change,
  oldestMs,
}: {
  control: TimelineWindow;
  filters: TimelineFilters;
  address: TimelineAddress;
  change: ChangeAddress<TimelineAddress>;
  /** When the first recorded rollout began; null while that is unknown. */
  oldestMs: number | null;
}) {
  const { window, nowMs } = control;
  const { ref, width } = useWidth();
  const timeZone = useTimeZone();
  const endMs = Math.ceil(nowMs / STEP_MS) * STEP_MS;
  const fitting = useMemo(
    () => overviewOf(address.overview, window, oldestMs, endMs),
    [address.overview, window, oldestMs, endMs],
  );
  const [frozen, setFrozen] = useState<Overview | null>(null);
  const { span, stretch } = frozen ?? fitting;
  const period: TimelinePeriod =
    span === 'all'
      ? {}
      : { from: iso(stretch.fromMs), ...(stretch.toMs < nowMs ? { to: iso(stretch.toMs) } : {}) };
  const { data, error } = useQuery(densityQuery(period, filters, PARTS));
  const density = data?.density ?? null;
  const columns = useMemo(() => columnsOf(density), [density]);
  const scale = { ...stretch, left: 0, right: width };

  return (
    <section aria-label="Overview" className="pb-1">
      <div className="flex items-end justify-between gap-3 pb-1.5">
        <p className="text-micro text-ink-3">
          Rollouts started{density === null ? '' : ` per ${partText(density.partMs)}`}
          {error !== null && <span className="text-stuck"> (could not be loaded)</span>}
        </p>
        <Segmented
          label="Overview length"
          value={span}
          options={spans}
          onChange={(value) => change({ overview: value })}
          className="max-desk:hidden!"
        />
      </div>
      <div ref={ref} className="relative touch-pan-y select-none" style={{ height: PLOT_PX + 20 }}>
        {width > 0 && (
          <>
            <Columns
              columns={columns}
              partMs={density?.partMs ?? 1}
              scale={scale}
              oldestMs={oldestMs}
              label={describeDensity(density, error !== null)}
              ticks={ticksOf(scale, timeZone, 84)}
            />
            <Brush
              window={window}
              scale={scale}
              endMs={nowMs}
              height={PLOT_PX}
              onChange={control.show}
              onDragging={(isHeld) => setFrozen(isHeld ? fitting : null)}
            />
          </>
        )}
      </div>
    </section>
  );
}

interface Overview {
  span: OverviewSpan;
  stretch: TimeWindow;
}

function overviewOf(
  chosen: OverviewSpan | null,
  window: TimeWindow,
  oldestMs: number | null,
  endMs: number,
): Overview {
  const span = chosen ?? overviewSpanFor(window);
  return { span, stretch: overviewWindow(span, window, oldestMs ?? endMs - 86_400_000, endMs) };
}

function Columns({
  columns,
  partMs,
  scale,
  oldestMs,
  label,
  ticks,
}: {
  columns: readonly DensityColumn[];
  partMs: number;
  scale: TimeScale;
  oldestMs: number | null;
  label: string;
  ticks: readonly Tick[];
}) {
  const width = scale.right;
  const column = Math.max(1.5, (partMs / (scale.toMs - scale.fromMs)) * width - 1);
  const paths = { all: '', failed: '', back: '' };
  for (const { fromMs, height, failed, back } of columns) {
    // The first part may begin before the overview.
    const left = positionOf(scale, fromMs, column + 1).toFixed(1);
    const px = Math.max(2, height * (PLOT_PX - 4));
    const failedPx = failed === 0 ? 0 : Math.max(2, failed * px);
    const backPx = back === 0 ? 0 : Math.max(2, back * px);
    paths.all += barPath(left, PLOT_PX - px, column, px);
    if (failedPx > 0) paths.failed += barPath(left, PLOT_PX - failedPx, column, failedPx);
    if (backPx > 0) paths.back += barPath(left, PLOT_PX - failedPx - backPx, column, backPx);
  }
  const unrecorded = oldestMs === null ? 0 : Math.min(width, positionOf(scale, oldestMs));
  return (
    <svg width={width} height={PLOT_PX + 20} role="img" aria-label={label} className="block overflow-visible">
      <defs>
        <pattern
          id="fleet-unrecorded"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <path d="M0 0V6" stroke="var(--hatch)" strokeWidth="1.4" />
        </pattern>
      </defs>
      {unrecorded > 1 && (
        <rect width={unrecorded} height={PLOT_PX} fill="url(#fleet-unrecorded)">
          <title>No data</title>
        </rect>
      )}
      <path d={tickLines(ticks, 0, PLOT_PX)} stroke="var(--line)" />
      <svg width={width} height={PLOT_PX} className="overflow-hidden">
        <path d={paths.all} fill="var(--control)" />
        <path d={paths.failed} fill="var(--stuck-fill)" />
        <path d={paths.back} fill="var(--back-fill)" />
      </svg>
      <path d={`M0 ${PLOT_PX - 0.5}H${width}`} stroke="var(--line-2)" />
      <TickLabels ticks={fittingTicks(ticks, width)} y={PLOT_PX + 15} />
    </svg>
  );
}

function barPath(left: string, top: number, width: number, height: number): string {
  return `M${left} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
}

function describeDensity(density: Timeline['density'], isFailed: boolean): string {
  if (density === null) return isFailed ? 'Rollout counts could not be loaded' : 'Loading rollout counts…';
  const total = density.parts.reduce(
    (sum, part) => sum + Object.values(part.counts).reduce((one, other) => one + other, 0),
    0,
  );
  return `${total.toLocaleString('en')} rollouts recorded in this time`;
}

function partText(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes % 1_440 === 0) return minutes === 1_440 ? 'day' : `${minutes / 1_440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? 'hour' : `${minutes / 60} hours`;
  return minutes === 1 ? 'minute' : `${minutes} min`;
}
