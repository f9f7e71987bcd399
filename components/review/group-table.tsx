import { clsx } from 'clsx';
import { Segmented } from '@/components/ui/segmented';
import { type RolloutReport } from '@/lib/api/reports';
import { formatMedian, formatRate } from '@/lib/view/report-text';

const cell = 'h-[27px] border-b border-hair pr-2 text-end whitespace-nowrap';

/** The figures for each namespace or team, most rollouts first; `wide` compares them with the previous period. */
export function GroupTable({
  report,
  onBy,
  wide = false,
}: {
  report: RolloutReport;
  onBy: (by: 'namespace' | 'team') => void;
  wide?: boolean;
}) {
  // On its own page it is right below the title.
  const Title = wide ? 'h2' : 'h3';
  return (
    <section
      aria-labelledby="groups-title"
      className={clsx(
        'break-inside-avoid',
        !wide && 'mt-[18px] border-t border-hair pt-3.5 max-full:col-span-full',
      )}
    >
      <div className="flex flex-wrap items-center gap-2 pb-1">
        <Title
          id="groups-title"
          className={wide ? 'text-lead font-semibold tracking-[-0.011em]' : 'font-medium'}
        >
          By {report.by}
        </Title>
        {report.by === 'team' && <span className="text-small text-ink-3">label {report.teamLabel}</span>}
        <Segmented
          label="Group by"
          value={report.by}
          onChange={onBy}
          options={[
            { value: 'namespace', label: 'Namespace' },
            { value: 'team', label: 'Team', name: `by the label ${report.teamLabel}` },
          ]}
          className="ml-auto print:hidden max-desk:flex-none!"
        />
      </div>
      {/* Focusable, so that it scrolls by keys too. */}
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Table by ${report.by}`}>
        <table className="w-full text-small">
          <thead>
            <tr className="text-micro text-ink-3">
              <Head first>Name</Head>
              <Head title="Rollouts">{wide ? 'Rollouts' : 'No.'}</Head>
              {wide && (
                <Head title="Failed changes of those that ended with a known outcome">Failed changes</Head>
              )}
              <Head title="Change failure rate">{wide ? 'Change failure rate' : 'Failed'}</Head>
              <Head title="Median time to restore">{wide ? 'Time to restore' : 'Restore'}</Head>
              <Head title="Median rollout">{wide ? 'Median rollout' : 'Took'}</Head>
              {wide && <Head>With a verdict</Head>}
            </tr>
          </thead>
          <tbody>
            {report.groups.map(({ name, figures, previous }) => (
              <tr key={name ?? ''}>
                <th scope="row" className={`${cell} max-w-[110px] truncate text-start! font-normal`}>
                  {name ?? <span className="text-ink-3">none</span>}
                </th>
                <td className={cell}>
                  {figures.rollouts}
                  {wide && <Before>{String(previous.rollouts)}</Before>}
                </td>
                {wide && (
                  <td className={cell}>
                    {figures.failedChanges} of {figures.measured}
                  </td>
                )}
                <td className={cell}>
                  {short(formatRate(figures.changeFailureRate))}
                  {wide && <Before>{formatRate(previous.changeFailureRate)}</Before>}
                </td>
                <td className={cell}>
                  {short(formatMedian(figures.timeToRestoreMs))}
                  {wide && <Before>{formatMedian(previous.timeToRestoreMs)}</Before>}
                </td>
                <td className={cell}>
                  {short(formatMedian(figures.durationMs))}
                  {wide && <Before>{formatMedian(previous.durationMs)}</Before>}
                </td>
                {wide && (
                  <td className={cell}>
                    {figures.reviewed} of {figures.rollouts}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {wide && <p className="pt-1 text-[11px]/[15px] text-ink-3">In grey the period before.</p>}
    </section>
  );
}

function Head({
  first = false,
  title,
  children,
}: {
  first?: boolean;
  title?: string;
  children: React.ReactNode;
}) {
  return (
    <th scope="col" title={title} className={clsx(cell, 'font-medium', first && 'text-start!')}>
      {children}
    </th>
  );
}

function Before({ children }: { children: string }) {
  return (
    <span className="ml-2 inline-block min-w-[5.5em] text-ink-3 max-desk:hidden">
      <span className="sr-only">before: </span>
      {short(children)}
    </span>
  );
}

function short(text: string): React.ReactNode {
  return text === 'not known' ? <span className="text-ink-3">–</span> : text;
}
