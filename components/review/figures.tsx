'use client';

import { useTimeFrame } from '@/components/ui/time';
import { DayBars } from '@/components/review/day-bars';
import { Glyph } from '@/components/ui/glyph';
import type { ChosenPeriod } from '@/components/review/period';
import { TrendLine } from '@/components/review/trend-line';
import type { RolloutReport } from '@/lib/api/reports';
import { capitalize, formatList } from '@/lib/format/text';
import { formatShort } from '@/lib/format/time';
import { formatMedian, formatRate } from '@/lib/view/report-text';
import { formatAge, formatDuration } from '@/lib/format/duration';
import { median } from '@/lib/records/report';

/** In percent of the width: room for half a dot. */
const SIDE = 2;
const NICE_MINUTES = [5, 10, 15, 30, 60, 120, 240, 480, 1_440, 2_880, 10_080, 43_200, 129_600];

/** A dot for each failed change that was restored, at its time to restore; a line at the median. */
function RestoreDots({ failures }: { failures: RolloutReport['failures'] }) {
  const times = failures.flatMap(({ name, restoreMs }) => (restoreMs === null ? [] : [{ name, restoreMs }]));
  const middle = median(times.map(({ restoreMs }) => restoreMs));
  if (middle === null) return null;
  const longest = Math.max(...times.map(({ restoreMs }) => restoreMs));
  const endMs = (NICE_MINUTES.find((minutes) => minutes * 60_000 >= longest) ?? 0) * 60_000 || longest;
  const place = (ms: number) => SIDE + (ms / endMs) * (100 - 2 * SIDE);
  const timesText = times.map(({ name, restoreMs }) => `${name} ${formatDuration(restoreMs)}`).join(', ');
  return (
    <svg
      width="100%"
      height={42}
      role="img"
      aria-label={`Time to restore: ${timesText}; median ${formatDuration(middle)}`}
      className="block max-w-[420px] overflow-visible"
    >
      <line x2="100%" y1={14.5} y2={14.5} stroke="var(--line-2)" />
      <line
        x1={`${place(middle)}%`}
        x2={`${place(middle)}%`}
        y1={3}
        y2={26}
        stroke="var(--ink)"
        strokeWidth="1.5"
      />
      {times.map(({ name, restoreMs }, index) => (
        <circle
          key={index}
          cx={`${place(restoreMs)}%`}
          cy={14.5}
          r={4}
          fill="var(--canvas)"
          stroke="var(--stuck)"
          strokeWidth="1.75"
        >
          <title>{`${name} ${formatDuration(restoreMs)}`}</title>
        </circle>
      ))}
      <text x={0} y={38} className="fill-ink-3 text-micro">
        0
      </text>
      <text x="100%" y={38} textAnchor="end" className="fill-ink-3 text-micro">
        {formatAge(endMs)}
      </text>
    </svg>
  );
}

/** The figures of a period with their charts, side by side where there is room. */
export function Figures({ report, period }: { report: RolloutReport; period: ChosenPeriod }) {
  const { total, previous, trend, definitions } = report;
  const frame = useTimeFrame();
  const [oldest] = trend;
  const since = oldest === undefined ? '' : `Since ${formatShort(Date.parse(oldest.from), frame)}`;
  return (
    <>
      <Figure
        value={total.rollouts.toLocaleString('en')}
        label={total.rollouts === 1 ? 'Rollout' : 'Rollouts'}
        definition={definitions.rollouts}
        remark={difference(total.rollouts, previous.rollouts, period.before)}
      >
        <DayBars days={report.days} to={report.to} before={period.before} />
        {report.truncated && <p className="text-small text-degraded">Too many rollouts to count them all.</p>}
      </Figure>
      <Figure
        value={capitalize(formatRate(total.changeFailureRate))}
        label="Change failure rate"
        definition={definitions.changeFailureRate}
        remark={`${total.failedChanges} of ${total.measured}; ${formatRate(previous.changeFailureRate)} in the ${period.before}`}
      >
        <TrendLine
          label="Change failure rate"
          values={trend.map(({ changeFailureRate }) => changeFailureRate)}
          format={formatRate}
          since={since}
        />
      </Figure>
      <Figure
        value={capitalize(formatMedian(total.timeToRestoreMs))}
        label="Median time to restore"
        definition={definitions.timeToRestore}
        remark={`${restoreRemark(report)}; ${formatMedian(previous.timeToRestoreMs)} in the ${period.before}`}
      >
        <RestoreDots failures={report.failures} />
      </Figure>
      <Figure
        value={capitalize(formatMedian(total.durationMs))}
        label="Median rollout duration"
        definition={definitions.duration}
        remark={`${formatMedian(previous.durationMs)} in the ${period.before}`}
      >
        <TrendLine
          label="Median rollout duration"
          values={trend.map(({ durationMs }) => durationMs)}
          format={formatMedian}
          since={since}
        />
      </Figure>
      <div className="mt-[18px] grid grid-cols-2 content-start gap-4 border-t border-hair pt-3.5 wide:grid-cols-1 print:mt-3 print:grid-cols-1 print:gap-1 print:pt-2">
        <SmallFigure
          value={share(total.reviewed, total.rollouts)}
          label="Reviewed"
          definition={definitions.reviewed}
        />
        <SmallFigure
          value={share(total.withCause, total.rollouts)}
          label="With a change cause"
          definition={definitions.withCause}
        />
      </div>
    </>
  );
}

function difference(now: number, before: number, period: string): string {
  if (now === before) return `As many as in the ${period}`;
  return now > before
    ? `${now - before} more than in the ${period}`
    : `${before - now} fewer than in the ${period}`;
}

/** "28% (30 of 107)". */
function share(part: number, of: number): string {
  return of === 0 ? '0 of 0' : `${Math.round((part / of) * 100)}% (${part} of ${of})`;
}

function restoreRemark({ total, failures }: RolloutReport): string {
  if (total.failedChanges === 0) return 'No failed changes';
  if (total.unrestored === 0) return `${total.restored} restored`;
  const open = failures.filter(({ restoreMs }) => restoreMs === null).map(({ name }) => name);
  return `${total.restored} restored, ${total.unrestored} not restored (${formatList([...new Set(open)])})`;
}

/** A figure of a period with its name, its definition on demand, and its comparison. */
function Figure({
  value,
  label,
  definition,
  remark,
  children,
}: {
  value: string;
  label: string;
  definition: string | undefined;
  remark: React.ReactNode;
  /** Its chart. */
  children?: React.ReactNode;
}) {
  return (
    <div className="mt-[18px] mb-2.5 break-inside-avoid border-t border-hair pt-3.5 print:mt-3 print:mb-0 print:pt-2">
      <p className="text-figure print:text-[18px]/[24px]">{value}</p>
      <Defined label={label} definition={definition} />
      <p className="text-small/[18px] text-ink-3 print:text-[11px]/[15px]">{remark}</p>
      {children}
    </div>
  );
}

function SmallFigure({
  value,
  label,
  definition,
}: Pick<React.ComponentProps<typeof Figure>, 'value' | 'label' | 'definition'>) {
  return (
    <div>
      <p className="text-[17px]/[24px] font-medium tracking-[-0.02em] print:text-[14px]/[20px]">{value}</p>
      <Defined label={label} definition={definition} />
    </div>
  );
}

/** The name of a figure, which unfolds what it means. */
function Defined({ label, definition }: { label: string; definition: string | undefined }) {
  return (
    <details className="text-small/[18px] text-ink-2 print:text-[11px]/[15px]">
      <summary className="flex min-h-6 w-fit cursor-pointer list-none items-center gap-1.5 hover:text-ink [&::-webkit-details-marker]:hidden">
        {label} <Glyph name="info" size={12} className="text-ink-3 print:hidden" />
      </summary>
      <p className="max-w-[38em] pb-1.5 text-pretty text-ink-3 print:hidden">{definition}</p>
    </details>
  );
}
