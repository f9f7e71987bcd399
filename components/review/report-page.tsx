'use client';

import { useQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { Button, IconButton } from '@/components/ui/button';
import { Crumbs } from '@/components/ui/crumbs';
import { RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { Waiting } from '@/components/shared/waiting';
import { useShortcuts } from '@/components/ui/shortcuts';
import { Skeleton } from '@/components/ui/skeleton';
import { AbsoluteTime, useNow, useTimeZone } from '@/components/ui/time';
import { Figures } from '@/components/review/figures';
import { GroupTable } from '@/components/review/group-table';
import { type ChosenPeriod, readPeriod, daysOfPeriod, shiftWeek, weekOf } from '@/components/review/period';
import { choiceOf } from '@/components/review/period-address';
import { ReportRollouts } from '@/components/review/report-rollouts';
import { periodParsers } from '@/components/review/review-address';
import type { RolloutReport } from '@/lib/api/reports';
import { formatCount } from '@/lib/format/text';
import { formatMedian, formatRate } from '@/lib/view/report-text';
import { reportQuery, type ReportChoice, reportPath } from '@/components/queries/review';
import { useClusterFilter } from '@/components/shared/cluster-filter';
import { MenuButton } from '@/components/ui/menu-button';
import { downloadFile } from '@/components/ui/download-file';
import { Segmented } from '@/components/ui/segmented';
import { TypedField } from '@/components/ui/typed-field';
import { formatCalendarDay, parseCalendarDay } from '@/lib/format/day-text';

/**
 * The report of a period, to read in a meeting, print or download: figures and what needs to be discussed, on paper on
 * one page, and all rollouts as an appendix.
 */
export function ReportPage() {
  const [{ period: text, by }, setAddress] = useQueryStates(periodParsers);
  const period = readPeriod(text);
  const choice = { ...choiceOf(period, by), ...useClusterFilter(), timeZone: useTimeZone() };
  const { data, error, refetch, isPlaceholderData } = useQuery(reportQuery(choice, true));
  useShortcuts({
    p: { label: 'Print', hint: 'print', run: ({ repeat }) => (repeat ? undefined : window.print()) },
  });
  return (
    <>
      <Crumbs items={[{ label: 'Review', href: '/review' }, { label: 'Report' }]} />
      <RecordingInterruptedNotice />
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2 pt-2">
        <h1 className="min-w-0 flex-1 basis-[420px] text-say text-pretty max-desk:text-[18px]/[25px]">
          {data === undefined ? period.title : formatSentence(data, period)}
        </h1>
        <div className="flex gap-2 print:hidden">
          <Button size="small" kbd="p" onClick={() => window.print()}>
            Print
          </Button>
          <ExportMenu choice={choice} />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pt-3">
        <PeriodPicker
          text={text}
          period={period}
          onChange={(next) => void setAddress({ period: next }, { history: 'push', scroll: false })}
        />
      </div>
      <Waiting
        answer={{ data, error }}
        loading={<LoadingReport />}
        onRetry={() => void refetch()}
        className="mt-4"
      >
        {(report) => (
          <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-50' : undefined}>
            <p className="hidden pt-1 text-small text-ink-3 print:block">
              <AbsoluteTime iso={report.from} /> to <AbsoluteTime iso={report.to} />
            </p>
            <ReportRollouts
              report={report}
              figures={
                <div className="grid grid-cols-2 gap-x-10 max-desk:grid-cols-1 wide:grid-cols-5 print:grid-cols-5 print:gap-x-5">
                  <Figures report={report} period={period} />
                </div>
              }
              groups={
                <GroupTable
                  report={report}
                  onBy={(value) => void setAddress({ by: value }, { history: 'replace', scroll: false })}
                />
              }
            />
          </div>
        )}
      </Waiting>
    </>
  );
}

/** "Last 7 days: 7 of 67 changes failed (10.4%), 1 still open; median time to restore 9 min; 12 of 80 rollouts not reviewed." */
function formatSentence({ total }: RolloutReport, { title }: ChosenPeriod): string {
  if (total.rollouts === 0) return `${title}: no rollouts.`;
  const { failedChanges, measured, unrestored, rollouts, reviewed } = total;
  const left = rollouts - reviewed;
  const parts = [
    total.changeFailureRate !== null &&
      `${failedChanges} of ${formatCount(measured, 'change')} failed (${formatRate(total.changeFailureRate)})` +
        (unrestored === 0 ? '' : `, ${unrestored} still open`),
    total.timeToRestoreMs !== null && `median time to restore ${formatMedian(total.timeToRestoreMs)}`,
    left === 0
      ? `all ${formatCount(rollouts, 'rollout')} reviewed`
      : `${left} of ${formatCount(rollouts, 'rollout')} not reviewed`,
  ].filter((part) => part !== false);
  return `${title}: ${parts.join('; ')}.`;
}

function LoadingReport() {
  return (
    <div className="grid gap-3 pt-4" role="status" aria-label="Loading the report">
      <Skeleton width={80} height={26} />
      <Skeleton width="100%" height={90} />
      <Skeleton width={110} height={26} />
    </div>
  );
}

/** Downloads a period as a file. */
function ExportMenu({ choice }: { choice: ReportChoice }) {
  return (
    <MenuButton
      size="small"
      align="end"
      className="ml-auto print:hidden"
      items={[
        { label: 'Markdown', onSelect: () => downloadFile(reportPath(choice, 'md')) },
        { label: 'CSV', onSelect: () => downloadFile(reportPath(choice, 'csv')) },
        { label: 'JSON', onSelect: () => downloadFile(reportPath(choice, 'json'), 'rollouts.json') },
      ]}
    >
      Export
    </MenuButton>
  );
}

const MINUTE_MS = 60_000;

const kinds = [
  { value: '7d', label: '7 d', name: 'last 7 days' },
  { value: '30d', label: '30 d', name: 'last 30 days' },
  { value: '90d', label: '90 d', name: 'last 90 days' },
  { value: 'week', label: 'Week' },
  { value: 'dates', label: 'Dates' },
] as const;

/** Chooses a period: a duration up to now, a calendar week, or days. */
function PeriodPicker({
  text,
  period,
  onChange,
}: {
  /** As stored in the address. */
  text: string;
  period: ChosenPeriod;
  onChange: (text: string) => void;
}) {
  const now = new Date(useNow(MINUTE_MS));
  const days = daysOfPeriod(period, now);
  function choose(kind: ChosenPeriod['kind']) {
    if (kind === 'week') onChange(weekOf(now));
    else if (kind === 'dates') onChange(`${days.first}..${days.last}`);
    else onChange(kind);
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 print:hidden">
      <Segmented label="Period" value={period.kind} onChange={choose} options={kinds} />
      {period.kind === 'week' && (
        <span className="inline-flex items-center gap-1">
          <IconButton
            glyph="chevron-left"
            label="Previous week"
            onClick={() => onChange(shiftWeek(text, -1))}
          />
          <IconButton
            glyph="chevron-right"
            label="Next week"
            disabled={text >= weekOf(now)}
            onClick={() => onChange(shiftWeek(text, 1))}
          />
        </span>
      )}
      {period.kind === 'dates' && (
        <span className="flex items-center gap-1.5 text-small max-desk:basis-full">
          <DayField
            label="First day"
            day={days.first}
            onChange={(day) => onChange(`${day}..${day > days.last ? day : days.last}`)}
          />
          <span aria-hidden="true">–</span>
          <DayField
            label="Last day"
            day={days.last}
            onChange={(day) => onChange(`${day < days.first ? day : days.first}..${day}`)}
          />
        </span>
      )}
    </div>
  );
}

function DayField({ label, day, onChange }: { label: string; day: string; onChange: (day: string) => void }) {
  return (
    <TypedField
      label={label}
      text={formatCalendarDay(day)}
      read={parseCalendarDay}
      example={formatCalendarDay(day)}
      onRead={onChange}
      className="w-[110px] max-desk:flex-1"
    />
  );
}
