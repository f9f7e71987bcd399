import { clsx } from 'clsx';
import { useClusters } from '@/components/queries/cluster';
import { Segmented } from '@/components/ui/segmented';
import type { RolloutReport } from '@/lib/api/reports';
import { capitalize } from '@/lib/format/text';
import { formatMedian, formatRate } from '@/lib/view/report-text';

const cell = 'h-[27px] border-b border-hair pr-2 text-end whitespace-nowrap';

const groupingsOfClusters = [
  { value: 'cluster', label: 'Cluster' },
  { value: 'stage', label: 'Stage' },
] as const;

/** The figures for each namespace, team, cluster or stage, most rollouts first, compared with the previous period. */
export function GroupTable({
  report,
  onBy,
}: {
  report: RolloutReport;
  onBy: (by: RolloutReport['by']) => void;
}) {
  const { isSeveral } = useClusters();
  return (
    <section aria-labelledby="groups-title" className="break-inside-avoid">
      <div className="flex flex-wrap items-center gap-2 pb-1">
        <h2 id="groups-title" className="text-lead font-semibold tracking-[-0.011em]">
          By {report.by}
        </h2>
        {report.by === 'team' && <span className="text-small text-ink-3">Label {report.teamLabel}</span>}
        <Segmented
          label="Group by"
          value={report.by}
          onChange={onBy}
          options={[
            { value: 'namespace', label: 'Namespace' },
            { value: 'team', label: 'Team', name: `label ${report.teamLabel}` },
            ...(isSeveral ? groupingsOfClusters : []),
          ]}
          className="ml-auto print:hidden max-desk:flex-none!"
        />
      </div>
      {/* Focusable, so that it scrolls by keys too. */}
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Table by ${report.by}`}>
        <table className="w-full text-small">
          <thead>
            <tr className="text-micro text-ink-3">
              <Head first>{capitalize(report.by)}</Head>
              <Head>Rollouts</Head>
              <Head>Failed changes</Head>
              <Head>Change failure rate</Head>
              <Head>Median time to restore</Head>
              <Head>Median rollout duration</Head>
              <Head>Reviewed</Head>
            </tr>
          </thead>
          <tbody>
            {report.groups.map(({ name, figures, previous }) => (
              <tr key={name ?? ''}>
                <th scope="row" className={`${cell} max-w-[110px] truncate text-start! font-normal`}>
                  {name ?? <span className="text-ink-3">None</span>}
                </th>
                <td className={cell}>
                  {figures.rollouts}
                  <Before>{String(previous.rollouts)}</Before>
                </td>
                <td className={cell}>
                  {figures.failedChanges} of {figures.measured}
                </td>
                <td className={cell}>
                  {short(formatRate(figures.changeFailureRate))}
                  <Before>{formatRate(previous.changeFailureRate)}</Before>
                </td>
                <td className={cell}>
                  {short(formatMedian(figures.timeToRestoreMs))}
                  <Before>{formatMedian(previous.timeToRestoreMs)}</Before>
                </td>
                <td className={cell}>
                  {short(formatMedian(figures.durationMs))}
                  <Before>{formatMedian(previous.durationMs)}</Before>
                </td>
                <td className={cell}>
                  {figures.reviewed} of {figures.rollouts}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="pt-1 text-[11px]/[15px] text-ink-3">Gray: previous period</p>
    </section>
  );
}

function Head({ first = false, children }: { first?: boolean; children: React.ReactNode }) {
  return (
    <th scope="col" className={clsx(cell, 'font-medium', first && 'text-start!')}>
      {children}
    </th>
  );
}

function Before({ children }: { children: string }) {
  return (
    <span className="ml-2 inline-block min-w-[5.5em] text-ink-3 max-desk:hidden">
      <span className="sr-only">previously </span>
      {short(children)}
    </span>
  );
}

function short(text: string): React.ReactNode {
  return text === 'unknown' ? <span className="text-ink-3">–</span> : text;
}
