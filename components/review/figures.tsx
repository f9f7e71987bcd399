'use client';

import { useTimeFrame } from '@/components/ui/time';
import { DayBars } from '@/components/review/day-bars';
import { Figure, SmallFigure } from '@/components/review/figure';
import { type ChosenPeriod } from '@/components/review/period';
import { RestoreDots } from '@/components/review/restore-dots';
import { TrendLine } from '@/components/review/trend-line';
import { type RolloutReport } from '@/lib/api/reports';
import { formatShort } from '@/lib/format/time';
import { formatMedian, formatRate } from '@/lib/view/report-text';

/** The figures of a period with their charts, side by side where there is room. */
export function Figures({ report, period }: { report: RolloutReport; period: ChosenPeriod }) {
  const { total, previous, definitions, trend } = report;
  const frame = useTimeFrame();
  const [oldest] = trend;
  const since = oldest === undefined ? '' : `since ${formatShort(Date.parse(oldest.from), frame)}`;
  return (
    <>
      <Figure
        value={total.rollouts.toLocaleString('en')}
        label={total.rollouts === 1 ? 'rollout' : 'rollouts'}
        remark={difference(total.rollouts, previous.rollouts, period.before)}
        definition={definitions.rollouts}
      >
        <DayBars days={report.days} />
        {report.truncated && (
          <p className="text-small text-degraded">The period holds more than were counted.</p>
        )}
      </Figure>
      <Figure
        value={formatRate(total.changeFailureRate)}
        label="change failure rate"
        remark={`${total.failedChanges} of ${total.measured}; ${formatRate(previous.changeFailureRate)} ${period.before}`}
        definition={definitions.changeFailureRate}
      >
        <TrendLine
          label="Change failure rate"
          values={trend.map(({ changeFailureRate }) => changeFailureRate)}
          format={formatRate}
          since={since}
        />
      </Figure>
      <Figure
        value={formatMedian(total.timeToRestoreMs)}
        label="median time to restore"
        remark={`${restoreRemark(report)}; ${formatMedian(previous.timeToRestoreMs)} ${period.before}`}
        definition={definitions.timeToRestore}
      >
        <RestoreDots failures={report.failures} />
      </Figure>
      <Figure
        value={formatMedian(total.durationMs)}
        label="median rollout"
        remark={`${formatMedian(previous.durationMs)} ${period.before}`}
        definition={definitions.duration}
      >
        <TrendLine
          label="Median rollout"
          values={trend.map(({ durationMs }) => durationMs)}
          format={formatMedian}
          since={since}
        />
      </Figure>
      <div className="mt-[18px] grid grid-cols-2 content-start gap-4 border-t border-hair pt-3.5">
        <SmallFigure value={`${total.reviewed} of ${total.rollouts}`} label="with a verdict" />
        <SmallFigure value={`${total.withCause} of ${total.rollouts}`} label="with a cause" />
      </div>
    </>
  );
}

function difference(now: number, before: number, period: string): string {
  if (now === before) return `as many as ${period}`;
  return now > before ? `${now - before} more than ${period}` : `${before - now} fewer than ${period}`;
}

function restoreRemark({ total, failures }: RolloutReport): string {
  if (total.failedChanges === 0) return 'nothing failed';
  if (total.unrestored === 0) return `${total.restored} restored`;
  const open = failures.filter(({ restoreMs }) => restoreMs === null).map(({ name }) => name);
  const names = [...new Set(open)].slice(0, 4).join(', ');
  return `${total.restored} restored, ${total.unrestored} not yet: ${names}`;
}
