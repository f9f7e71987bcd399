import Link from 'next/link';
import { OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { SectionHead } from '@/components/ui/section-head';
import { AbsoluteTime } from '@/components/ui/time';
import { type RolloutReport, type ReportRow } from '@/lib/api/reports';
import { formatCalendarDay } from '@/lib/format/day-text';
import { formatDuration } from '@/lib/format/duration';
import { outcomeLabels, verdictLabels } from '@/lib/view/report-text';
import { recordPagePath } from '@/components/queries/records';

/** More than fits a page; the downloads have all. */
const SHOWN_MAX = 200;

/** Failed changes and follow-ups first, then every rollout of the period. */
export function PeriodRollouts({ report }: { report: RolloutReport }) {
  const rows = report.rows ?? [];
  const failed = new Map(report.failures.map(({ recordId, restoreMs }) => [recordId, restoreMs]));
  const discussed = rows.filter(
    ({ id, verdict }) => failed.has(id) || (verdict !== null && verdict !== 'good'),
  );
  return (
    <>
      <RolloutList
        id="discussed"
        title="Failed, bad, or to be followed up"
        rows={discussed}
        failed={failed}
        none="Nothing failed, and nothing has to be followed up."
      />
      <RolloutList id="all" title="Every rollout" rows={rows} failed={failed} none="There was no rollout." />
    </>
  );
}

function RolloutList({
  id,
  title,
  rows,
  failed,
  none,
}: {
  id: string;
  title: string;
  rows: readonly ReportRow[];
  failed: ReadonlyMap<string, number | null>;
  none: string;
}) {
  return (
    <section aria-labelledby={`${id}-title`} className="pt-7">
      <SectionHead id={`${id}-title`} title={title} remark={String(rows.length)} className="pb-1.5" />
      {rows.length === 0 ? (
        <p className="border-t border-line pt-2 text-ink-2">{none}</p>
      ) : (
        <ol className="border-t border-line">
          {rows.slice(0, SHOWN_MAX).map((row) => (
            <li
              key={row.id}
              className="grid break-inside-avoid grid-cols-[14px_minmax(0,1.2fr)_minmax(0,2fr)_minmax(0,1fr)_104px] items-baseline gap-x-3 border-b border-hair py-1.5 max-desk:grid-cols-[14px_minmax(0,1fr)_auto]"
            >
              <span className="self-center">
                <OutcomeGlyph record={{ outcome: row.outcome, spans: [] }} />
              </span>
              <span className="min-w-0 [overflow-wrap:anywhere]">
                <Link href={recordPagePath(row.id)} prefetch={false} className="font-medium hover:underline">
                  {row.name}
                </Link>{' '}
                <span className="text-small text-ink-3">
                  {row.namespace} <span className="rev">{formatTransition(row)}</span>
                </span>
              </span>
              <span className="min-w-0 text-ink-2 [overflow-wrap:anywhere] max-desk:col-span-2 max-desk:col-start-2">
                {row.summary}
                {row.cause !== null && <span className="text-ink-3"> “{row.cause}”</span>}
              </span>
              <span className="text-small text-ink-2 max-desk:col-span-2 max-desk:col-start-2">
                {describeRow(row, failed.get(row.id))}
              </span>
              <span className="text-end text-small text-ink-3 max-desk:col-start-3 max-desk:row-start-1">
                {row.startedAt === null ? 'not known' : <AbsoluteTime iso={row.startedAt} form="short" />}
              </span>
            </li>
          ))}
        </ol>
      )}
      {rows.length > SHOWN_MAX && (
        <p className="pt-1.5 text-small text-ink-3">
          and {rows.length - SHOWN_MAX} more, which the files of the export hold
        </p>
      )}
    </section>
  );
}

function formatTransition({ from, to }: ReportRow): string {
  return from === null ? String(to ?? '?') : `${from} → ${to ?? '?'}`;
}

/** Outcome, time to restore, and the verdict of the team. */
function describeRow(row: ReportRow, restoreMs: number | null | undefined): string {
  const { outcome, revertedBy, verdict, followUp } = row;
  return [
    outcome === null ? 'in progress' : outcomeLabels[outcome],
    outcome === 'completed' && revertedBy !== null && 'reverted later',
    restoreMs === null && 'not restored yet',
    typeof restoreMs === 'number' && `restored in ${formatDuration(restoreMs)}`,
    verdict !== null && `verdict ${verdictLabels[verdict]}`,
    followUp !== null && `${followUp.person} until ${formatCalendarDay(followUp.due)}`,
  ]
    .filter((part) => part !== false)
    .join('; ');
}
