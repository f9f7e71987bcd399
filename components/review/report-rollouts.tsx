import Link from 'next/link';
import { clsx } from 'clsx';
import { OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { SectionHead } from '@/components/ui/section-head';
import { AbsoluteTime } from '@/components/ui/time';
import type { RolloutReport, ReportRow } from '@/lib/api/reports';
import { formatCalendarDay } from '@/lib/format/day-text';
import { formatDuration } from '@/lib/format/duration';
import { outcomeLabel } from '@/lib/view/record-text';
import { verdictLabels } from '@/lib/view/report-text';
import { recordPagePath } from '@/components/queries/records';
import { ClusterTag } from '@/components/shared/cluster-tag';

/** More than fits a page; the downloads have all. */
const SHOWN_MAX = 200;

/** As many of either table as fit on a sheet with the figures; the class of the table says the same. */
const PRINTED_MAX = 4;

const cell =
  'border-b border-hair py-1.5 pr-3 text-start align-baseline print:py-1 max-desk:border-0 max-desk:p-0';

/**
 * What is still open, then the figures, then what was restored and bad verdicts, and as an appendix all rollouts of the
 * period. On paper the first page ends before `groups`.
 */
export function ReportRollouts({
  report,
  figures,
  groups,
}: {
  report: RolloutReport;
  figures: React.ReactNode;
  groups: React.ReactNode;
}) {
  const { failed, open, closed } = sortRows(report);
  return (
    <>
      <RolloutTable
        id="open"
        title="Still open"
        rows={open}
        failed={failed}
        none="Every failed change is restored, and no follow-up is open."
        isCutOnPaper
      />
      {figures}
      <RolloutTable
        id="discussed"
        title="Failed changes that were restored, and bad verdicts"
        rows={closed}
        failed={failed}
        none="No failed change was restored, and no verdict is bad."
        // Together with the figures, as many as fit on a page.
        isCutOnPaper
      />
      <div className="break-before-page pt-7 print:pt-0">{groups}</div>
      <RolloutTable
        id="all"
        title="All rollouts"
        rows={report.rows ?? []}
        failed={failed}
        none="No rollouts."
      />
    </>
  );
}

/** What is worth discussing, by whether it is still open; `failed` has the time to restore of each failed change. */
function sortRows({ rows, failures }: RolloutReport) {
  const failed = new Map(failures.map(({ recordId, restoreMs }) => [recordId, restoreMs]));
  const isOpen = ({ id, followUp }: ReportRow) => failed.get(id) === null || followUp !== null;
  const discussed = (rows ?? []).filter((row) => isOpen(row) || failed.has(row.id) || row.verdict === 'bad');
  const { open = [], closed = [] } = Object.groupBy(discussed, (row) => (isOpen(row) ? 'open' : 'closed'));
  return { failed, open, closed };
}

function RolloutTable({
  id,
  title,
  rows,
  failed,
  none,
  isCutOnPaper = false,
}: {
  id: string;
  title: string;
  rows: readonly ReportRow[];
  failed: ReadonlyMap<string, number | null>;
  none: string;
  isCutOnPaper?: boolean;
}) {
  return (
    <section aria-labelledby={`${id}-title`} className="pt-7 print:pt-4">
      <SectionHead id={`${id}-title`} title={title} remark={String(rows.length)} className="pb-1.5" />
      {rows.length === 0 ? (
        <p className="border-t border-line pt-2 text-ink-2">{none}</p>
      ) : (
        <table
          aria-labelledby={`${id}-title`}
          className="w-full table-fixed border-collapse border-t border-line max-desk:block print:text-[10.5px]/[14px]"
        >
          <thead className="max-desk:sr-only">
            <tr className="text-micro text-ink-3 [&>th]:h-[26px] [&>th]:border-b [&>th]:border-hair [&>th]:pr-3 [&>th]:text-start [&>th]:font-medium">
              <th scope="col" className="w-[21%]">
                Workload
              </th>
              <th scope="col">Changes</th>
              <th scope="col" className="w-[17%]">
                Outcome
              </th>
              <th scope="col" className="w-[14%]">
                Verdict
              </th>
              <th scope="col" className="w-[9%]">
                Reviewer
              </th>
              <th scope="col" className="w-[100px] pr-0! text-end!">
                Started
              </th>
            </tr>
          </thead>
          <tbody className={clsx('max-desk:block', isCutOnPaper && 'print:[&>tr:nth-child(n+5)]:hidden')}>
            {rows.slice(0, SHOWN_MAX).map((row) => (
              <RolloutRow key={row.id} row={row} restoreMs={failed.get(row.id)} />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > SHOWN_MAX && (
        <p className="pt-1.5 text-small text-ink-3">
          {rows.length - SHOWN_MAX} more. The export has all of them.
        </p>
      )}
      {isCutOnPaper && rows.length > PRINTED_MAX && (
        <p className="hidden pt-1 text-[11px] text-ink-3 print:block">
          {rows.length - PRINTED_MAX} more in the appendix
        </p>
      )}
    </section>
  );
}

/** `restoreMs`: undefined where it is no failed change, null where that is not restored. */
function RolloutRow({ row, restoreMs }: { row: ReportRow; restoreMs: number | null | undefined }) {
  const { id, name, namespace, outcome, summary, cause, reviewedBy, startedAt } = row;
  return (
    <tr className="break-inside-avoid max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:border-b max-desk:border-hair max-desk:py-2">
      <th scope="row" className={clsx(cell, 'font-normal [overflow-wrap:anywhere]')}>
        <Link href={recordPagePath(id)} prefetch={false} className="font-medium hover:underline">
          {name}
        </Link>{' '}
        <span className="text-small text-ink-3">
          {namespace} <ClusterTag cluster={row.cluster} />{' '}
          <span className="rev">{formatTransition(row)}</span>
        </span>
      </th>
      <td
        className={clsx(cell, 'text-ink-2 [overflow-wrap:anywhere] max-desk:col-span-2 max-desk:row-start-2')}
      >
        <span className="print:line-clamp-2">
          {summary}
          {cause !== null && <span className="text-ink-3"> “{cause}”</span>}
        </span>
      </td>
      <td className={clsx(cell, 'max-desk:col-span-2')}>
        <span className="mr-1.5 inline-flex translate-y-0.5">
          <OutcomeGlyph record={{ outcome, spans: [] }} size={12} />
        </span>
        {describeOutcome(row, restoreMs)}
      </td>
      <td className={clsx(cell, 'max-desk:col-span-2')}>
        <span className="text-ink-3 desk:hidden">Verdict: </span>
        {describeVerdict(row)}
      </td>
      <td className={clsx(cell, 'truncate text-ink-2 max-desk:hidden')}>
        <bdi>{reviewedBy}</bdi>
      </td>
      <td
        className={clsx(
          cell,
          'pr-0! text-end! text-small whitespace-nowrap text-ink-3 max-desk:col-start-2 max-desk:row-start-1',
        )}
      >
        {startedAt === null ? 'Unknown' : <AbsoluteTime iso={startedAt} form="short" />}
      </td>
    </tr>
  );
}

function formatTransition({ from, to }: ReportRow): string {
  return from === null ? String(to ?? '?') : `${from} → ${to ?? '?'}`;
}

/** "Rolled back, restored after 9 min", "Completed, later reverted". */
function describeOutcome({ outcome, revertedBy }: ReportRow, restoreMs: number | null | undefined): string {
  return [
    outcomeLabel({ outcome }),
    outcome === 'completed' && revertedBy !== null && 'later reverted',
    restoreMs === null && 'not restored',
    typeof restoreMs === 'number' && `restored after ${formatDuration(restoreMs).replaceAll(' ', '\u00a0')}`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/** With assignee and due date. */
function describeVerdict({ verdict, followUp }: ReportRow): React.ReactNode {
  if (verdict === null) return <span className="text-ink-3">None</span>;
  return (
    <>
      {verdictLabels[verdict]}
      {followUp !== null && (
        <span className="block text-small text-ink-2 print:text-[10.5px]">
          <bdi>{followUp.person}</bdi>, due {formatCalendarDay(followUp.due)}
        </span>
      )}
    </>
  );
}
