import type { Figures, RolloutReport, ReportRow } from '@/lib/api/reports';
import { formatDuration } from '@/lib/format/duration';
import { capitalize, uncapitalize } from '@/lib/format/text';
import { outcomeText } from '@/lib/view/record-text';
import { type CsvColumn, formatCsv } from '@/lib/view/csv';

/** "10.4%"; "unknown" where nothing was measured. */
export function formatRate(rate: number | null): string {
  return rate === null ? 'unknown' : `${(rate * 100).toFixed(rate === 0 || rate === 1 ? 0 : 1)}%`;
}

/** "9 min 20 s"; "unknown" without a value. */
export function formatMedian(ms: number | null): string {
  return ms === null ? 'unknown' : formatDuration(ms);
}

/** The names of the verdicts, as on buttons and tags. */
export const verdictLabels = { good: 'Good', bad: 'Bad', followUp: 'Follow-up' } as const;

const TRUNCATED = 'The period has more rollouts than were counted.';

/** Names of clusters by id, where there are several. */
export type ClusterNames = ReadonlyMap<string, string>;

/** The report as Markdown: figures with their definitions, groups, and every rollout. Times are in UTC. */
export function formatReportMarkdown(report: RolloutReport, clusters?: ClusterNames): string {
  const { total, definitions } = report;
  const lines = [
    `# Rollouts from ${formatUtc(report.from)} to ${formatUtc(report.to)}`,
    '',
    ...(report.truncated ? [TRUNCATED, ''] : []),
    `- **${total.rollouts} rollouts** (${report.previous.rollouts} in the previous period). ${definitions.rollouts ?? ''}`,
    `- **Change failure rate ${formatRate(total.changeFailureRate)}** (${total.failedChanges} of ${total.measured}). ${definitions.changeFailureRate ?? ''}`,
    `- **Median time to restore ${formatMedian(total.timeToRestoreMs)}** (${total.restored} restored, ${total.unrestored} not restored). ${definitions.timeToRestore ?? ''}`,
    `- **Median rollout duration ${formatMedian(total.durationMs)}**. ${definitions.duration ?? ''}`,
    `- **${total.reviewed} reviewed**, ${total.withCause} with a change cause.`,
    '',
    `## By ${report.by}`,
    '',
    tableRow([
      capitalize(report.by),
      'Rollouts',
      'Failed changes',
      'Change failure rate',
      'Time to restore',
      'Duration',
    ]),
    '|---|---|---|---|---|---|',
    ...report.groups.map(({ name, figures }) => tableRow([name ?? 'none', ...figureCells(figures)])),
  ];
  const rows = report.rows ?? [];
  if (rows.length > 0) {
    lines.push(
      '',
      '## All rollouts',
      '',
      tableRow([
        'Started',
        ...(clusters === undefined ? [] : ['Cluster']),
        'Workload',
        'Revisions',
        'Outcome',
        'Changed by',
        'Changes',
        'Change cause',
        'Verdict',
        'Reviewer',
      ]),
      `|---|---|---|---|---|---|---|---|---|${clusters === undefined ? '' : '---|'}`,
      ...rows.map((row) =>
        tableRow([
          row.startedAt === null ? 'unknown' : formatUtc(row.startedAt),
          ...(clusters === undefined ? [] : [clusters.get(row.cluster) ?? row.cluster]),
          `${row.namespace}/${row.name}`,
          formatTransition(row),
          outcomeText(row),
          row.actor ?? 'unknown',
          [row.summary, row.reverts].filter((part) => part !== null).join('. '),
          row.cause ?? '',
          formatVerdict(row),
          row.reviewedBy ?? '',
        ]),
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

const csvColumns: readonly CsvColumn<ReportRow>[] = [
  ['started', (row) => row.startedAt],
  ['ended', (row) => row.endedAt],
  ['seconds', (row) => secondsOf(row)],
  ['namespace', (row) => row.namespace],
  ['workload', (row) => row.name],
  ['kind', (row) => row.kind],
  ['team', (row) => row.team],
  ['from', (row) => row.from],
  ['to', (row) => row.to],
  ['outcome', (row) => (row.outcome === null ? 'open' : outcomeText(row))],
  ['reverted by', (row) => row.revertedBy],
  ['reverts', (row) => row.reverts],
  ['who', (row) => row.actor],
  ['cause', (row) => row.cause],
  ['what changed', (row) => row.summary],
  ['verdict', (row) => (row.verdict === null ? null : uncapitalize(verdictLabels[row.verdict]))],
  ['reviewed by', (row) => row.reviewedBy],
  ['follow-up by', (row) => row.followUp?.person ?? null],
  ['follow-up until', (row) => row.followUp?.due ?? null],
  ['comments', (row) => row.comments],
  ['record', (row) => row.id],
];

/** Every rollout of the period as CSV (RFC 4180), with a header. */
export function formatReportCsv(
  { rows, truncated }: Pick<RolloutReport, 'rows' | 'truncated'>,
  clusters?: ClusterNames,
): string {
  const columns = withCluster(csvColumns, clusters);
  return formatCsv(columns, rows ?? [], truncated ? [TRUNCATED] : []);
}

/** The columns, and the cluster before the namespace where there are several. */
export function withCluster<Row extends { cluster: string }>(
  columns: readonly CsvColumn<Row>[],
  clusters: ClusterNames | undefined,
): readonly CsvColumn<Row>[] {
  if (clusters === undefined) return columns;
  const column: CsvColumn<Row> = ['cluster', ({ cluster }) => clusters.get(cluster) ?? cluster];
  return columns.flatMap((each) => (each[0] === 'namespace' ? [column, each] : [each]));
}

function figureCells(figures: Figures): string[] {
  return [
    String(figures.rollouts),
    String(figures.failedChanges),
    formatRate(figures.changeFailureRate),
    formatMedian(figures.timeToRestoreMs),
    formatMedian(figures.durationMs),
  ];
}

function secondsOf({ startedAt, endedAt }: ReportRow): number | null {
  if (startedAt === null || endedAt === null) return null;
  return Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000));
}

function formatTransition({ from, to }: ReportRow): string {
  return `${from ?? (to === 1 ? 'none' : '?')} → ${to ?? '?'}`;
}

function formatVerdict({ verdict, followUp }: ReportRow): string {
  if (verdict === null) return '';
  const label = uncapitalize(verdictLabels[verdict]);
  return followUp === null ? label : `${label}: ${followUp.person}, due ${followUp.due}`;
}

function formatUtc(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Escaped so that text of people and programs can't end its cell, start a line or become markup. */
function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/[\\`*_[\]<>|#!&~]/g, '\\$&').replace(/\s+/g, ' ')).join(' | ')} |`;
}
