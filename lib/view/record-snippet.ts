import type { RecordAnswer } from '@/lib/api/records';
import { formatOffset } from '@/lib/format/time';
import { formatWallTime } from '@/lib/format/wall-time-text';
import { formatDuration } from '@/lib/format/duration';
import { actorText, outcomeLabel, rolloutDurationText, transitionText } from '@/lib/view/record-text';
import { verdictLabels } from '@/lib/view/report-text';

const TEXT_LENGTH_MAX = 500;

/**
 * A rollout in Markdown for a post-mortem: what, when with its zone, who, changes, outcome, duration, time to restore,
 * verdict, link. `restoredBy` is the rollout that reverted it, where that could be read.
 */
export function recordSnippet(
  record: RecordAnswer,
  restoredBy: Pick<RecordAnswer, 'outcome' | 'endedAt'> | null,
  { link, timeZone }: { link: string; timeZone: string },
): string {
  const { workload, cause, review } = record;
  const at = (iso: string) => {
    const ms = Date.parse(iso);
    return `${formatWallTime(ms, timeZone)} ${timeZone === 'UTC' ? 'UTC' : formatOffset(ms, timeZone)}`;
  };
  const started =
    record.startedAt !== null
      ? at(record.startedAt)
      : record.startedNotAfter !== null
        ? `by ${at(record.startedNotAfter)}`
        : 'Unknown';
  const reason = record.outcome === 'completed' ? undefined : record.spans.at(-1)?.reason;
  const lines: (readonly [string, string | null])[] = [
    ['Workload', `${workload.namespace}/${workload.name} (${workload.kind})`],
    ['Started', started],
    ['Ended', record.endedAt === null || record.outcome === 'unknown' ? null : at(record.endedAt)],
    ['Duration', rolloutDurationText(record)],
    ['Changed by', actorText(record.actor) ?? 'Unknown'],
    ['Change cause', cause],
    ['Changes', record.restart ? 'Restart' : record.summary],
    ['Outcome', outcomeText(record, reason)],
    ['Managed by', ownersText(record)],
    ['Time to restore', restoreText(record, restoredBy)],
    ['Verdict', review.verdict === null ? 'None' : verdictText(review)],
  ];
  return [
    `### ${plain(`${workload.name} ${record.restart ? 'restart' : transitionText(record)}`)}`,
    '',
    ...lines.flatMap(([label, text]) =>
      text === null || text === '' ? [] : [`- **${label}:** ${plain(text)}`],
    ),
    `- **Record:** <${link}>`,
    '',
  ].join('\n');
}

function outcomeText(record: RecordAnswer, reason: string | undefined): string {
  const outcome =
    outcomeLabel(record) +
    (record.outcome === 'completed' && record.revertedBy !== null ? ', later reverted' : '');
  return reason === undefined ? outcome : `${outcome}: ${reason}`;
}

function ownersText({ owners }: RecordAnswer): string {
  return owners
    .map(({ tool, noun, name, note }) => `${[tool, noun, name].filter(Boolean).join(' ')}: ${note}`)
    .join(' ');
}

/** From the start of the failed change to the end of the rollout that reverted it; null where nothing failed. */
function restoreText(
  { startedAt, outcome, revertedBy }: RecordAnswer,
  restoredBy: Pick<RecordAnswer, 'outcome' | 'endedAt'> | null,
): string | null {
  if (outcome === 'undone' || outcome === 'noPods') return null;
  if (outcome !== 'failed' && outcome !== 'rolledBack' && revertedBy === null) return null;
  if (startedAt === null || restoredBy?.outcome !== 'completed') return 'Unknown';
  if (restoredBy.endedAt === null) return 'Unknown';
  return formatDuration(Date.parse(restoredBy.endedAt) - Date.parse(startedAt));
}

function verdictText({ verdict, by, followUp }: RecordAnswer['review']): string {
  const label = verdict === null ? '' : verdictLabels[verdict];
  const due = followUp === null ? '' : `, assigned to ${followUp.person}, due ${followUp.due}`;
  return `${label}${by === null ? '' : `, by ${by}`}${due}`;
}

/** One bounded line in which nothing is Markdown: names and causes come from the cluster. */
function plain(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const cut = line.length > TEXT_LENGTH_MAX ? `${line.slice(0, TEXT_LENGTH_MAX)}…` : line;
  return cut.replace(/[\\`*_[\]<>#|!~@]/g, '\\$&');
}
