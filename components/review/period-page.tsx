'use client';

import { useQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { Button } from '@/components/ui/button';
import { Crumbs } from '@/components/ui/crumbs';
import { RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { Waiting } from '@/components/shared/waiting';
import { useShortcuts } from '@/components/ui/shortcuts';
import { AbsoluteTime } from '@/components/ui/time';
import { ExportMenu } from '@/components/review/export-menu';
import { Figures } from '@/components/review/figures';
import { GroupTable } from '@/components/review/group-table';
import { type ChosenPeriod, readPeriod } from '@/components/review/period';
import { choiceOf } from '@/components/review/period-address';
import { FiguresSkeleton } from '@/components/review/period-figures';
import { PeriodPicker } from '@/components/review/period-picker';
import { PeriodRollouts } from '@/components/review/period-rollouts';
import { periodParsers } from '@/components/review/review-address';
import { type RolloutReport } from '@/lib/api/reports';
import { formatMedian, formatRate } from '@/lib/view/report-text';
import { reportQuery } from '@/components/queries/review';

/** The report of a period as a page of its own, to read in a meeting, print or download. */
export function PeriodPage() {
  const [{ period: text, by }, setAddress] = useQueryStates(periodParsers);
  const period = readPeriod(text);
  const choice = choiceOf(period, by);
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
          {data === undefined ? period.title : sentenceOf(data, period)}
        </h1>
        <div className="flex gap-2 print:hidden">
          <Button size="small" onClick={() => window.print()}>
            Print
          </Button>
          <ExportMenu choice={choice} />
        </div>
      </div>
      <div className="pt-3">
        <PeriodPicker
          text={text}
          period={period}
          onChange={(next) => void setAddress({ period: next }, { history: 'push', scroll: false })}
        />
      </div>
      <Waiting
        answer={{ data, error }}
        loading={<FiguresSkeleton />}
        onRetry={() => void refetch()}
        className="mt-4"
      >
        {(report) => (
          <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-50' : undefined}>
            <div className="grid grid-cols-2 gap-x-10 max-desk:grid-cols-1 wide:grid-cols-5 print:grid-cols-2">
              <Figures report={report} period={period} />
            </div>
            <div className="pt-6">
              <GroupTable
                wide
                report={report}
                onBy={(value) => void setAddress({ by: value }, { history: 'replace', scroll: false })}
              />
            </div>
            <PeriodRollouts report={report} />
            <p className="hidden pt-4 text-small text-ink-3 print:block">
              From <AbsoluteTime iso={report.from} /> to <AbsoluteTime iso={report.to} />; printed from
              Shiplog.
            </p>
          </div>
        )}
      </Waiting>
    </>
  );
}

/**
 * "Seven days: 67 rollouts, 7 of them failed changes (10.4%), restored in 9 min at the median; 12 without a verdict."
 */
function sentenceOf({ total }: RolloutReport, { title }: ChosenPeriod): string {
  if (total.rollouts === 0) return `${title}: no rollout.`;
  const count = `${total.rollouts} ${total.rollouts === 1 ? 'rollout' : 'rollouts'}`;
  const failed =
    total.failedChanges === 0
      ? 'none of them failed'
      : `${total.failedChanges} of them ${total.failedChanges === 1 ? 'a failed change' : 'failed changes'} (${formatRate(total.changeFailureRate)})${
          total.timeToRestoreMs === null
            ? ''
            : `, restored in ${formatMedian(total.timeToRestoreMs)} at the median`
        }`;
  const left = total.rollouts - total.reviewed;
  return `${title}: ${count}, ${failed}; ${left === 0 ? 'every one has a verdict' : `${left} without a verdict`}.`;
}
