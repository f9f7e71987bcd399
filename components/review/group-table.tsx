import { Segmented } from '@/components/ui/segmented';
import { type Report } from '@/lib/api/reports';
import { sayMedian, sayRate } from '@/lib/ledger/report-text';

const cell = 'h-[27px] border-b border-hair pr-2 text-end whitespace-nowrap';

/** The same figures for each namespace or team, most rollouts first. */
export function GroupTable({ report, onBy }: { report: Report; onBy: (by: 'namespace' | 'team') => void }) {
  return (
    <section
      aria-labelledby="groups-title"
      className="mt-[18px] border-t border-hair pt-3.5 max-full:col-span-full"
    >
      <div className="flex items-center gap-2 pb-1">
        <h3 id="groups-title" className="font-medium">
          By {report.by}
        </h3>
        <Segmented
          label="Group by"
          value={report.by}
          onChange={onBy}
          options={[
            { value: 'namespace', label: 'Namespace' },
            { value: 'team', label: 'Team', name: `Team: the label ${report.teamLabel}` },
          ]}
          className="ml-auto print:hidden max-desk:flex-none!"
        />
      </div>
      <div className="overflow-x-auto">
        <table className="w-full text-small">
          <thead>
            <tr className="text-micro text-ink-3">
              <th scope="col" className={`${cell} text-start! font-medium`}>
                Name
              </th>
              <th scope="col" className={`${cell} font-medium`} title="Rollouts">
                No.
              </th>
              <th scope="col" className={`${cell} font-medium`} title="Change failure rate">
                Failed
              </th>
              <th scope="col" className={`${cell} font-medium`} title="Median time to restore">
                Restore
              </th>
              <th scope="col" className={`${cell} pr-0! font-medium`} title="Median rollout">
                Took
              </th>
            </tr>
          </thead>
          <tbody>
            {report.groups.map(({ name, figures }) => (
              <tr key={name ?? ''}>
                <th scope="row" className={`${cell} max-w-[110px] truncate text-start! font-normal`}>
                  {name ?? <span className="text-ink-3">none</span>}
                </th>
                <td className={cell}>{figures.rollouts}</td>
                <td className={cell}>{short(sayRate(figures.changeFailureRate))}</td>
                <td className={cell}>{short(sayMedian(figures.timeToRestoreMs))}</td>
                <td className={`${cell} pr-0!`}>{short(sayMedian(figures.durationMs))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function short(text: string): React.ReactNode {
  return text === 'not known' ? <span className="text-ink-3">–</span> : text;
}
