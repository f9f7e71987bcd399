import 'server-only';
import { type Report, type ReportQuery, type ReportRow } from '@/lib/api/reports';
import { AppError } from '@/lib/errors';
import { type ReportedRollout, reportDefinitions, reportPeriod } from '@/lib/ledger/report';
import { type ListedRecord } from '@/server/archive/archive';
import { type Keys } from '@/server/keys';
import { maskText } from '@/server/mask';
import { type ReadContext } from '@/server/reads/context';
import { recordRights, requireArchive } from '@/server/reads/ledger';
import { archiveQuery } from '@/server/reads/records';
import { parseDuration, parseMoment } from '@/server/reads/time-query';
import { type Viewer } from '@/server/viewer';

const WEEK_MS = 7 * 86_400_000;
const PERIOD_MS_MAX = 366 * 86_400_000;
const REVERTED_WITHIN = '24h';
const PAGE = 200;
/** More than the busiest quarter of a fleet of ten thousand workloads; a bound on what one request may cost. */
const RECORDS_MAX = 50_000;

export const DEFAULT_TEAM_LABEL = 'app.kubernetes.io/part-of';

/** The figures of a period and of the one before it, over the records that the viewer may see. */
export async function readReport(context: ReadContext, viewer: Viewer, query: ReportQuery): Promise<Report> {
  const { fromMs, toMs } = periodOf(query, context.now());
  const within = query.revertedWithin ?? REVERTED_WITHIN;
  const revertedWithinMs = parseDuration(within);
  if (revertedWithinMs === null) {
    throw new AppError('bad_request', 'revertedWithin: must be a duration such as 30m, 24h or 7d.', {
      field: 'revertedWithin',
    });
  }
  const teamLabel = context.config.teamLabel ?? DEFAULT_TEAM_LABEL;
  const beforeMs = fromMs - (toMs - fromMs);
  const { records, truncated } = await collect(context, viewer, query, beforeMs);
  const groupOf = ({ record: { workload } }: ListedRecord) =>
    query.by === 'team' ? (workload.labels[teamLabel] ?? null) : workload.namespace;
  const rollouts = rolloutsOf(records, groupOf);
  const { total, groups, days, failures } = reportPeriod(rollouts, { fromMs, toMs, revertedWithinMs });
  const previous = reportPeriod(rollouts, { fromMs: beforeMs, toMs: fromMs, revertedWithinMs });
  const byId = new Map(records.map((listed) => [listed.record.id, listed]));
  const inside = records.filter((listed) => {
    const at = startOf(listed);
    return at !== null && at >= fromMs && at < toMs;
  });
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    by: query.by,
    teamLabel,
    definitions: reportDefinitions(revertedWithinMs),
    total,
    previous: previous.total,
    groups,
    days: days.map(({ fromMs: dayMs, ...figures }) => ({ from: new Date(dayMs).toISOString(), ...figures })),
    failures: failures.flatMap(({ rollout, restoreMs }) => {
      const workload = byId.get(rollout.id)?.record.workload;
      if (workload === undefined) return [];
      return [{ recordId: rollout.id, namespace: workload.namespace, name: workload.name, restoreMs }];
    }),
    rows:
      query.rows === undefined && query.format === 'json'
        ? null
        : inside.map((listed) => rowOf(listed, teamLabel, context.keys)),
    truncated,
  };
}

/** The period in milliseconds since 1970; throws `bad_request` for one that is empty or too long. */
function periodOf(query: ReportQuery, nowMs: number): { fromMs: number; toMs: number } {
  const toMs = query.to === undefined ? nowMs : parseMoment('to', query.to, nowMs);
  const fromMs = query.from === undefined ? toMs - WEEK_MS : parseMoment('from', query.from, nowMs);
  if (fromMs >= toMs) throw wrongPeriod('from: must be earlier than to.');
  if (toMs - fromMs > PERIOD_MS_MAX) throw wrongPeriod('from: must be at most a year before to.');
  return { fromMs, toMs };
}

function wrongPeriod(message: string): AppError {
  return new AppError('bad_request', message, { field: 'from' });
}

/** Everything begun since, newest first: what came after the period may have restored a workload. */
async function collect(
  context: ReadContext,
  viewer: Viewer,
  { namespace }: ReportQuery,
  sinceMs: number,
): Promise<{ records: ListedRecord[]; truncated: boolean }> {
  const archive = requireArchive(context);
  const mayRead = recordRights(context, viewer);
  const query = { ...archiveQuery({ namespace }, context.now()), sinceMs };
  const records: ListedRecord[] = [];
  let cursor: string | null = null;
  do {
    const page = await archive.search({ ...query, limit: PAGE, cursor });
    const allowed = await Promise.all(page.items.map(({ record }) => mayRead(record.workload)));
    records.push(...page.items.filter((_, index) => allowed[index]));
    cursor = page.nextCursor;
  } while (cursor !== null && records.length < RECORDS_MAX);
  return { records, truncated: cursor !== null };
}

function rolloutsOf(
  records: readonly ListedRecord[],
  groupOf: (listed: ListedRecord) => string | null,
): ReportedRollout[] {
  const starts = new Map(records.map((listed) => [listed.record.id, startOf(listed)]));
  return records.flatMap((listed): ReportedRollout[] => {
    const { record, review, revertedBy } = listed;
    const startedMs = startOf(listed);
    if (startedMs === null) return [];
    const { cluster, resource, namespace, name } = record.workload;
    return [
      {
        id: record.id,
        workload: `${cluster}/${resource}/${namespace}/${name}`,
        group: groupOf(listed),
        startedMs,
        endedMs: record.endedAt === null ? null : Date.parse(record.endedAt),
        outcome: record.outcome,
        timed: record.startedAt !== null,
        revertedMs: revertedBy === null ? null : (starts.get(revertedBy) ?? null),
        stuck: record.spans.some(({ kind }) => kind === 'stuck'),
        reviewed: review !== null,
        hasCause: record.cause !== null,
      },
    ];
  });
}

function startOf({ record: { startedAt, startedNotAfter } }: ListedRecord): number | null {
  const at = startedAt ?? startedNotAfter;
  return at === null ? null : Date.parse(at);
}

function rowOf({ record, review, revertedBy, comments }: ListedRecord, label: string, keys: Keys): ReportRow {
  const { namespace, name, kind, labels } = record.workload;
  return {
    id: record.id,
    namespace,
    name,
    kind,
    team: labels[label] ?? null,
    from: record.from?.number ?? null,
    to: record.to.number,
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    outcome: record.outcome,
    revertedBy,
    actor: record.actor?.name ?? null,
    cause: record.cause === null ? null : maskText(record.cause, keys),
    summary: maskText(record.summary, keys),
    verdict: review?.verdict ?? null,
    reviewedBy: review?.by ?? null,
    followUp: review?.followUp ?? null,
    comments,
  };
}
