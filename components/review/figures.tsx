'use client';

import { useTimeFrame } from '@/components/ui/time';
import { DayBars } from '@/components/review/day-bars';
import { NoteMark } from '@/components/review/footnotes';
import { Figure, SmallFigure } from '@/components/review/figure';
import { type ChosenPeriod } from '@/components/review/period';
import { RestoreDots } from '@/components/review/restore-dots';
import { TrendLine } from '@/components/review/trend-line';
import { type RolloutReport } from '@/lib/api/reports';
import { capitalize, formatList } from '@/lib/format/text';
import { formatShort } from '@/lib/format/time';
import { formatMedian, formatRate } from '@/lib/view/report-text';

/** The figures of a period with their charts, side by side where there is room. */
export function Figures({ report, period }: { report: RolloutReport; period: ChosenPeriod }) {
  const { total, previous, trend } = report;
  const frame = useTimeFrame();
  const [oldest] = trend;
  const since = oldest === undefined ? '' : `Since ${formatShort(Date.parse(oldest.from), frame)}`;
  return (
    <>
      <Figure
        value={total.rollouts.toLocaleString('en')}
        label={total.rollouts === 1 ? 'Rollout' : 'Rollouts'}
        mark={<NoteMark of="rollouts" />}
        remark={difference(total.rollouts, previous.rollouts, period.before)}
      >
        <DayBars days={report.days} />
        {report.truncated && <p className="text-small text-degraded">Too many rollouts to count them all.</p>}
      </Figure>
      <Figure
        value={capitalize(formatRate(total.changeFailureRate))}
        label="Change failure rate"
        mark={<NoteMark of="changeFailureRate" />}
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
        mark={<NoteMark of="timeToRestore" />}
        remark={`${restoreRemark(report)}; ${formatMedian(previous.timeToRestoreMs)} in the ${period.before}`}
      >
        <RestoreDots failures={report.failures} />
      </Figure>
      <Figure
        value={capitalize(formatMedian(total.durationMs))}
        label="Median rollout duration"
        mark={<NoteMark of="duration" />}
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
          mark={<NoteMark of="reviewed" />}
        />
        <SmallFigure
          value={share(total.withCause, total.rollouts)}
          label="With a change cause"
          mark={<NoteMark of="withCause" />}
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
