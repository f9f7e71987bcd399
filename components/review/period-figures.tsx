'use client';

import { useQuery } from '@tanstack/react-query';
import { Waiting } from '@/components/shared/waiting';
import { TextLink } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';
import { ExportMenu } from '@/components/review/export-menu';
import { Figures } from '@/components/review/figures';
import { GroupTable } from '@/components/review/group-table';
import { type ChosenPeriod } from '@/components/review/period';
import { PeriodPicker } from '@/components/review/period-picker';
import { choiceOf, periodPagePath } from '@/components/review/period-address';
import { reportQuery } from '@/components/queries/review';

/** The figures of the period next to the queue, each with its meaning. */
export function PeriodFigures({
  text,
  period,
  by,
  onChange,
}: {
  /** The period as stored in the address. */
  text: string;
  period: ChosenPeriod;
  by: 'namespace' | 'team';
  onChange: (change: { period?: string; by?: 'namespace' | 'team' }) => void;
}) {
  const choice = choiceOf(period, by);
  const { data, error, refetch, isPlaceholderData } = useQuery(reportQuery(choice));
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 pb-2">
        <h2 id="period-title" className="text-lead font-semibold tracking-[-0.011em]">
          {period.title}
        </h2>
        <ExportMenu choice={choice} />
      </div>
      <PeriodPicker text={text} period={period} onChange={(next) => onChange({ period: next })} />
      <Waiting
        answer={{ data, error }}
        loading={<FiguresSkeleton />}
        onRetry={() => void refetch()}
        className="mt-3"
      >
        {(report) => (
          <div
            aria-busy={isPlaceholderData}
            className={`gap-x-10 max-full:grid max-full:grid-cols-2 max-desk:block ${isPlaceholderData ? 'opacity-50' : ''}`}
          >
            <Figures report={report} period={period} />
            <GroupTable report={report} onBy={(value) => onChange({ by: value })} />
          </div>
        )}
      </Waiting>
      <p className="pt-3 text-small">
        <TextLink href={periodPagePath(text, by)}>The period as a page, to print or to send</TextLink>
      </p>
    </>
  );
}

export function FiguresSkeleton() {
  return (
    <div className="grid gap-3 pt-4" role="status" aria-label="Counting">
      <Skeleton width={80} height={26} />
      <Skeleton width="100%" height={90} />
      <Skeleton width={110} height={26} />
    </div>
  );
}
