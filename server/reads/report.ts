import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Answer } from '@/lib/api/common';
import type { Figures, ReportQuery, reportRowSchema, reportSchema } from '@/lib/api/reports';
import { AppError } from '@/lib/errors';
import { createPeriodReport, type Period, reportDefinitions } from '@/lib/records/report';
import type { Archive } from '@/server/archive/archive';
import type { ListedRecord } from '@/server/archive/records';
import type { ArchivedPage } from '@/server/archive/reports';
import type { Mask } from '@/server/shared/mask';
import { shownRecords } from '@/server/views/record-parts';
import { accessKeyOf } from '@/server/shared/viewer';
import type { Fleet } from '@/server/views/fleet';
import { clusterById, recordRights, requireArchive } from '@/server/views/archive-access';
import { maskedFollowUp } from '@/server/shared/masked-record';
import { revertedItem } from '@/server/views/record-item';
import { buildRecordQuery, commaList } from '@/server/reads/records';
import {
  type CountedRollout,
  type Grouping,
  ReportedIncarnations,
} from '@/server/reads/reported-incarnations';
import { parseDuration, parseMoment } from '@/server/reads/time-query';
import { type RecordScope, visibleRecords } from '@/server/views/visible-records';
import { isoTime } from '@/lib/format/time';
import { type ClusterNames, formatReportCsv, formatReportMarkdown } from '@/lib/view/report-text';

const WEEK_MS = 7 * 86_400_000;
const PERIOD_MS_MAX = 366 * 86_400_000;
const FAILURE_HOURS = 24;
/** Few enough that other requests wait some milliseconds at most. */
const PAGE_SIZE = 2_000;
/** A bound on what one request may cost: two seconds, and the ids of its workloads in memory. */
const ROLLOUTS_MAX = 300_000;
/** Rows need sentences, so they are read from full records. */
const ROW_PAGE = 200;
const ROWS_MAX = 20_000;
/** Periods drawn as a line: a quarter of weeks, a year of months. */
const TREND_MAX = 12;
/** A viewer who pages back and forth gets the figures at once; a rollout that has just ended shows soon. */
const CACHE_TTL_MS = 10_000;

export const DEFAULT_TEAM_LABEL = 'app.kubernetes.io/part-of';

/** A report but for what the viewer can't see of it, which is asked for each request. */
type Figured = Omit<Answer<typeof reportSchema>, 'partial'>;

/** By person, query, what the person can see, and the verdicts so far. */
const cachedReports = new WeakMap<Archive, LRUCache<string, Promise<Figured>>>();

/** The figures of a period and of those before it, over the records that the viewer can see. */
export async function readReport(fleet: Fleet, query: ReportQuery): Promise<Answer<typeof reportSchema>> {
  const archive = requireArchive(fleet);
  const bounds = boundsOf(query, fleet);
  // Asked for each request, so that a removed binding counts at once.
  const visible = await visibleRecords(fleet, bounds.sinceMs);
  const build = () => buildReport(fleet, archive, query, bounds, visible.scope);
  // Requests without a file are repeated often, so their result is cached.
  if (query.rows !== undefined || query.format !== 'json')
    return { ...(await build()), partial: visible.partial };
  const reports = cachedReports.get(archive) ?? new LRUCache({ max: 50, ttl: CACHE_TTL_MS });
  cachedReports.set(archive, reports);
  const key = JSON.stringify([accessKeyOf(fleet.person), query, visible.scope, archive.reviews.saved]);
  const known = reports.get(key);
  const report = known ?? build();
  if (known === undefined) {
    reports.set(key, report);
    report.catch(() => reports.delete(key));
  }
  return { ...(await report), partial: visible.partial };
}

async function buildReport(
  fleet: Fleet,
  archive: Archive,
  query: ReportQuery,
  { period, before, sinceMs }: Bounds,
  scope: RecordScope,
): Promise<Figured> {
  const teamLabel = fleet.config.teamLabel ?? DEFAULT_TEAM_LABEL;
  const namespaces = commaList(query.namespace);
  const count = createPeriodReport<CountedRollout>(period, before);
  const mayRead = recordRights(fleet);
  let rolloutCount = 0;
  let isTruncated = false;
  for (const { cluster } of scope.clusters) {
    const incarnations = new ReportedIncarnations(
      archive,
      cluster,
      mayRead,
      groupingOf(fleet, query.by, teamLabel, cluster),
    );
    let nextPage: ArchivedPage['next'] = null;
    do {
      const page: ArchivedPage = await archive.reports.rollouts({
        cluster,
        sinceMs,
        namespaces,
        before: nextPage,
        limit: PAGE_SIZE,
      });
      const rollouts = await incarnations.countable(page.items, period.revertedWithinMs);
      const followed = rollouts.filter(({ isFollowed }) => isFollowed);
      const revertTimes = await archive.reports.revertTimes(followed.map(({ id }) => id));
      for (const rollout of followed) rollout.revertedMs = revertTimes.get(rollout.id) ?? null;
      for (const rollout of rollouts) count.add(rollout);
      rolloutCount += page.items.length;
      nextPage = page.next;
      await setImmediate();
    } while (nextPage !== null && rolloutCount < ROLLOUTS_MAX);
    isTruncated ||= nextPage !== null && nextPage.startedMs >= period.fromMs;
  }

  const { total, groups, days, failures, before: earlier } = count.report();
  const needsRows = query.rows !== undefined || query.format !== 'json';
  const rows = needsRows ? await rowsOf(fleet, archive, scope, period, namespaces, teamLabel) : null;
  const [previous = total] = earlier;
  return {
    from: isoTime(period.fromMs),
    to: isoTime(period.toMs),
    by: query.by,
    teamLabel,
    definitions: reportDefinitions(period.revertedWithinMs),
    total,
    previous,
    groups: groups.map((group) => ({ ...group, name: fleet.keys.mask.text(group.name) })),
    trend: trendOf(period, total, earlier),
    days: days.map(({ fromMs, ...figures }) => ({ from: isoTime(fromMs), ...figures })),
    failures: failures.map(({ rollout: { id, namespace, name }, restoreMs }) => ({
      recordId: id,
      namespace,
      name,
      restoreMs,
    })),
    rows: rows?.items ?? null,
    truncated: isTruncated || rows?.isCut === true,
  };
}

/** The periods of a report, and the start of the earliest. */
interface Bounds {
  period: Period;
  /** How many earlier ones are read. */
  before: number;
  sinceMs: number;
}

function boundsOf(query: ReportQuery, fleet: Fleet): Bounds {
  const period = periodOf(query, fleet);
  const before = periodsBefore(period);
  return { period, before, sinceMs: period.fromMs - before * (period.toMs - period.fromMs) };
}

/** How the rollouts of a cluster are grouped. */
function groupingOf(fleet: Fleet, by: ReportQuery['by'], teamLabel: string, id: string): Grouping {
  if (by === 'namespace') return { by };
  if (by === 'team') return { by, label: teamLabel };
  const entry = clusterById(fleet.clusters, id)?.entry;
  const removed = fleet.removed.find((cluster) => cluster.id === id);
  return {
    by: 'cluster',
    name: by === 'stage' ? (entry?.stage ?? null) : (entry?.name ?? removed?.name ?? id),
  };
}

/** The period in milliseconds since 1970; throws `bad_request` for one that is empty or too long. */
function periodOf(query: ReportQuery, { now, config }: Fleet): Period {
  const nowMs = now();
  const toMs = query.to === undefined ? nowMs : parseMoment('to', query.to, nowMs);
  const fromMs = query.from === undefined ? toMs - WEEK_MS : parseMoment('from', query.from, nowMs);
  if (fromMs >= toMs) throw wrongPeriod('from: must be earlier than to.');
  if (toMs - fromMs > PERIOD_MS_MAX) throw wrongPeriod('from: must be at most a year before to.');
  const within = query.revertedWithin ?? `${config.failureHours ?? FAILURE_HOURS}h`;
  const revertedWithinMs = parseDuration(within);
  const { timeZone } = query;
  if (revertedWithinMs !== null) return { fromMs, toMs, revertedWithinMs, timeZone };
  throw new AppError('bad_request', 'revertedWithin: must be a duration such as 30m, 24h or 7d.', {
    field: 'revertedWithin',
  });
}

function wrongPeriod(message: string): AppError {
  return new AppError('bad_request', message, { field: 'from' });
}

/** As many as a year has besides the period itself; at least one, to compare with. */
function periodsBefore({ fromMs, toMs }: Period): number {
  return Math.min(TREND_MAX - 1, Math.max(1, Math.floor(PERIOD_MS_MAX / (toMs - fromMs)) - 1));
}

/** Periods before the first record are no points of the line. */
function trendOf(
  { fromMs, toMs }: Period,
  total: Figures,
  earlier: readonly Figures[],
): Answer<typeof reportSchema>['trend'] {
  const all = [total, ...earlier];
  const first = all.findLastIndex(({ rollouts }) => rollouts > 0);
  return all
    .slice(0, Math.max(1, first + 1))
    .map(({ rollouts, changeFailureRate, timeToRestoreMs, durationMs }, index) => ({
      from: isoTime(fromMs - index * (toMs - fromMs)),
      rollouts,
      changeFailureRate,
      timeToRestoreMs,
      durationMs,
    }))
    .reverse();
}

async function rowsOf(
  context: Fleet,
  archive: Archive,
  scope: RecordScope,
  { fromMs, toMs }: Period,
  namespaces: readonly string[] | null,
  teamLabel: string,
): Promise<{ items: Answer<typeof reportRowSchema>[]; isCut: boolean }> {
  const recordQuery = {
    ...buildRecordQuery({}, scope, context.now()),
    namespaces,
    sinceMs: fromMs,
    untilMs: toMs - 1,
  };
  const items: Answer<typeof reportRowSchema>[] = [];
  let cursor: string | null = null;
  do {
    const page = await archive.rollouts.search({ ...recordQuery, limit: ROW_PAGE, cursor });
    const revertedById = await archive.rollouts.reverted(page.items.map(({ record }) => record.id));
    const shown = await shownRecords(context, page.items);
    items.push(
      ...shown.map((listed) => ({
        ...rowOf(listed, teamLabel, context.keys.mask),
        reverts: revertedItem(context, revertedById.get(listed.record.id))?.sentence ?? null,
      })),
    );
    cursor = page.nextCursor;
    await setImmediate();
  } while (cursor !== null && items.length < ROWS_MAX);
  return { items, isCut: cursor !== null };
}

function rowOf(
  { record, review, revertedBy, comments }: ListedRecord,
  label: string,
  mask: Mask,
): Omit<Answer<typeof reportRowSchema>, 'reverts'> {
  const { cluster, namespace, name, kind, labels } = record.workload;
  return {
    id: record.id,
    cluster,
    namespace,
    name,
    kind,
    team: mask.text(labels[label] ?? null),
    from: record.from?.number ?? null,
    to: record.to.number,
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    outcome: record.outcome,
    revertedBy,
    actor: mask.text(record.actor?.name ?? null),
    cause: mask.text(record.cause),
    summary: mask.text(record.summary),
    verdict: review?.verdict ?? null,
    reviewedBy: mask.text(review?.by ?? null),
    followUp: maskedFollowUp(review?.followUp ?? null, mask),
    comments,
  };
}

/** A report in the requested form; files are named after their period, and name the clusters of their rows. */
export function reportAnswer(
  report: Answer<typeof reportSchema>,
  format: 'json' | 'csv' | 'md',
  clusters: ClusterNames | undefined,
): Answer<typeof reportSchema> | Response {
  switch (format) {
    case 'json':
      return report;
    case 'csv':
      return fileAnswer(
        formatReportCsv(report, clusters),
        'text/csv; charset=utf-8; header=present',
        report,
        format,
      );
    case 'md':
      return fileAnswer(
        formatReportMarkdown(report, clusters),
        'text/markdown; charset=utf-8',
        report,
        format,
      );
    default:
      return format satisfies never;
  }
}

function fileAnswer(
  text: string,
  type: string,
  { from, to }: Answer<typeof reportSchema>,
  ending: string,
): Response {
  const name = `rollouts-${from.slice(0, 10)}-${to.slice(0, 10)}.${ending}`;
  return new Response(text, {
    headers: { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` },
  });
}
