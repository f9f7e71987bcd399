'use client';

import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '@/components/ui/error-state';
import { MenuButton } from '@/components/ui/menu-button';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import { DayBars } from '@/components/review/day-bars';
import { GroupTable } from '@/components/review/group-table';
import { RestoreDots } from '@/components/review/restore-dots';
import { periods } from '@/components/review/review-address';
import { type Report } from '@/lib/api/reports';
import { sayMedian, sayRate } from '@/lib/ledger/report-text';
import { reportPath, reportQuery } from '@/lib/queries/review';

type Period = (typeof periods)[number]['value'];

/** How the period went, each figure with what it means. */
export function PeriodFigures({
  period,
  by,
  onChange,
}: {
  period: Period;
  by: 'namespace' | 'team';
  onChange: (change: { period?: Period; by?: 'namespace' | 'team' }) => void;
}) {
  const choice = { from: period, by };
  const { data, error, refetch } = useQuery(reportQuery(choice));
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="period-title" className="text-lead font-semibold tracking-[-0.011em]">
          {periods.find(({ value }) => value === period)?.title}
        </h2>
        <MenuButton
          size="small"
          align="end"
          className="ml-auto print:hidden"
          items={[
            { label: 'Markdown', onSelect: () => takeAlong(reportPath(choice, 'md'), 'rollouts.md') },
            { label: 'CSV', onSelect: () => takeAlong(reportPath(choice, 'csv'), 'rollouts.csv') },
            { label: 'JSON', onSelect: () => takeAlong(reportPath(choice, 'json'), 'rollouts.json') },
            'separator',
            { label: 'Print', onSelect: () => window.print() },
          ]}
        >
          Export
        </MenuButton>
      </div>
      <Segmented
        label="Period"
        value={period}
        onChange={(value) => onChange({ period: value })}
        options={periods}
        className="mt-2 print:hidden"
      />
      {data === undefined ? (
        error === null ? (
          <div className="grid gap-3 pt-4" role="status" aria-label="Counting">
            <Skeleton width={80} height={26} />
            <Skeleton width="100%" height={90} />
            <Skeleton width={110} height={26} />
          </div>
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} className="mt-3" />
        )
      ) : (
        <Figures report={data} onBy={(value) => onChange({ by: value })} />
      )}
    </>
  );
}

function Figures({ report, onBy }: { report: Report; onBy: (by: 'namespace' | 'team') => void }) {
  const { total, previous, definitions } = report;
  return (
    <div className="gap-x-10 max-full:grid max-full:grid-cols-2 max-desk:block">
      <div>
        <Figure
          value={String(total.rollouts)}
          label="rollouts"
          remark={difference(total.rollouts, previous.rollouts)}
          definition={definitions.rollouts}
        />
        <DayBars days={report.days} />
        {report.truncated && (
          <p className="text-small text-degraded">The period holds more than were counted.</p>
        )}
      </div>
      <Figure
        value={sayRate(total.changeFailureRate)}
        label="change failure rate"
        remark={`${total.failedChanges} of ${total.measured}; ${sayRate(previous.changeFailureRate)} in the period before`}
        definition={definitions.changeFailureRate}
      />
      <div>
        <Figure
          value={sayMedian(total.timeToRestoreMs)}
          label="median time to restore"
          remark={restoreRemark(report)}
          definition={definitions.timeToRestore}
        />
        <RestoreDots failures={report.failures} />
      </div>
      <Figure
        value={sayMedian(total.durationMs)}
        label="median rollout"
        remark={`${sayMedian(previous.durationMs)} in the period before`}
        definition={definitions.duration}
      />
      <div className="mt-[18px] grid grid-cols-2 gap-4 border-t border-hair pt-3.5">
        <SmallFigure value={`${total.reviewed} of ${total.rollouts}`} label="with a verdict" />
        <SmallFigure value={`${total.withCause} of ${total.rollouts}`} label="with a cause" />
      </div>
      <GroupTable report={report} onBy={onBy} />
    </div>
  );
}

function Figure({
  value,
  label,
  remark,
  definition,
}: {
  value: string;
  label: string;
  remark: string;
  definition: string | undefined;
}) {
  return (
    <div className="mt-[18px] mb-2.5 border-t border-hair pt-3.5">
      <p className="text-figure">{value}</p>
      <p className="text-small/[18px] text-ink-2">
        {label} <span className="block text-ink-3">{remark}</span>
      </p>
      <p className="pt-1 text-[11px]/[15px] text-pretty text-ink-3">{definition}</p>
    </div>
  );
}

function SmallFigure({ value, label }: { value: string; label: string }) {
  return (
    <div>
      <p className="text-[17px]/[24px] font-medium tracking-[-0.02em]">{value}</p>
      <p className="text-small text-ink-2">{label}</p>
    </div>
  );
}

function difference(now: number, before: number): string {
  if (now === before) return 'as many as in the period before';
  return now > before
    ? `${now - before} more than in the period before`
    : `${before - now} fewer than in the period before`;
}

function restoreRemark({ total, failures }: Report): string {
  const open = failures.filter(({ restoreMs }) => restoreMs === null).map(({ name }) => name);
  const named = open.length === 0 ? '' : `: ${[...new Set(open)].slice(0, 4).join(', ')}`;
  return `${total.restored} restored, ${total.unrestored} still open${named}`;
}

/** Saves what is at the address as a file; it stays on this page. */
function takeAlong(path: string, name: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = name;
  link.click();
}
