import 'server-only';
import type { Answer } from '@/lib/api/common';
import {
  type TimelineCounts,
  type TimelineQuery,
  timelineItemSchema,
  type timelineSchema,
} from '@/lib/api/timeline';
import { namedMembers } from '@/lib/api/named-members';
import { AppError } from '@/lib/errors';
import { matchesSelector } from '@/lib/kube/selector';
import { partMsFor } from '@/lib/timeline/time-window';
import type { ListedRecord } from '@/server/archive/records';
import type { RolloutRepository } from '@/server/archive/rollouts';
import type { RecordCount } from '@/server/archive/search';
import type { RecordQuery } from '@/server/archive/record-query';
import type { WorkloadRepository } from '@/server/archive/workloads';
import type { Keys } from '@/server/shared/keys';
import { connectedCluster } from '@/server/views/connected-cluster';
import type { Fleet } from '@/server/views/fleet';
import { archivedIds, oldestOf, requireArchive } from '@/server/views/archive-access';
import { shownRecords } from '@/server/views/record-parts';
import { recordItem } from '@/server/views/record-item';
import { buildRecordQuery } from '@/server/reads/records';
import { parseMoment } from '@/server/reads/time-query';
import { type RecordScope, visibleRecords } from '@/server/views/visible-records';
import { parseSelectorField } from '@/server/reads/list-query';
import { sumOf } from '@/lib/timeline/fleet-density';

/**
 * What happened between two moments over all workloads that the viewer can see: rollouts up to a limit, how many there
 * are of each outcome, and how many began in each part of the time.
 */
export async function readFleetTimeline(
  fleet: Fleet,
  query: TimelineQuery,
): Promise<Answer<typeof timelineSchema>> {
  const archive = requireArchive(fleet);
  const nowMs = fleet.now();
  const toMs = query.to === undefined ? nowMs : parseMoment('to', query.to, nowMs);
  const statedMs = query.from === undefined ? null : parseMoment('from', query.from, nowMs);
  const oldestAt = await oldestOf(archive, timelineIds(fleet));
  const fromMs = statedMs ?? (oldestAt === null ? toMs : Math.min(Date.parse(oldestAt), toMs));
  if (fromMs > toMs || (statedMs !== null && fromMs === toMs)) {
    throw new AppError('bad_request', 'from: must be earlier than to.', { field: 'from' });
  }

  const { scope, places, partial } = await visibleRecords(fleet, fromMs);
  const baseQuery = {
    ...buildRecordQuery(query, scope, nowMs),
    uids: await uidsBySelector(archive.workloads, scope, query.labelSelector),
    cursor: null,
  };
  const window = { ...baseQuery, during: { fromMs, toMs }, limit: query.limit };
  const density = await densityOf(
    archive.rollouts,
    { ...baseQuery, sinceMs: fromMs, untilMs: toMs, limit: 0 },
    query.parts,
  );
  const { items, counts } = await rolloutsIn(archive.rollouts, window, density);
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    oldestAt,
    items: (await shownRecords(fleet, items)).map((listed) => itemOf(listed, fleet.keys)),
    more: sumOf(counts) - items.length,
    counts,
    density,
    places: places.map(({ resource, namespace }) => ({ resource, namespace })),
    partial,
  };
}

/**
 * Counted one by one where all of them are listed; where the query requests no list, those that `density` has counted
 * already.
 */
async function rolloutsIn(
  rollouts: RolloutRepository,
  query: RecordQuery,
  density: Answer<typeof timelineSchema>['density'],
): Promise<{ items: ListedRecord[]; counts: TimelineCounts }> {
  if (query.limit === 0 && density !== null) return { items: [], counts: sumUp(density.parts) };
  const { items, nextCursor } =
    query.limit === 0 ? { items: [], nextCursor: '' } : await rollouts.search(query);
  const counted: Pick<RecordCount, 'outcome' | 'count'>[] =
    nextCursor === null
      ? items.map(({ record }) => ({ outcome: record.outcome ?? 'open', count: 1 }))
      : await rollouts.histogram(query, null);
  return { items, counts: tally(counted) };
}

function sumUp(parts: readonly { counts: TimelineCounts }[]): TimelineCounts {
  const each = parts.flatMap(({ counts }) => Object.entries(counts) as [RecordCount['outcome'], number][]);
  return tally(each.map(([outcome, count]) => ({ outcome, count })));
}

async function densityOf(
  rollouts: RolloutRepository,
  query: RecordQuery & { sinceMs: number; untilMs: number },
  partsMax: number,
): Promise<Answer<typeof timelineSchema>['density']> {
  if (partsMax === 0) return null;
  const partMs = partMsFor(query.untilMs - query.sinceMs, partsMax);
  const counts = await rollouts.histogram(query, partMs);
  const parts = Map.groupBy(counts, ({ fromMs }) => fromMs);
  return {
    partMs,
    parts: [...parts].map(([fromMs, each]) => ({ at: new Date(fromMs).toISOString(), counts: tally(each) })),
  };
}

function tally(counts: readonly Pick<RecordCount, 'outcome' | 'count'>[]): TimelineCounts {
  const sums: TimelineCounts = {};
  for (const { outcome, count } of counts) sums[outcome] = (sums[outcome] ?? 0) + count;
  return sums;
}

/** Throws where the only cluster was never reached: an empty answer would be wrong. */
function timelineIds(fleet: Fleet): string[] {
  const [only] = fleet.clusters;
  if (only !== undefined && !fleet.isSeveral) connectedCluster(only.context.cluster);
  return archivedIds(fleet);
}

/** Incarnations whose last labels match a selector. */
async function uidsBySelector(
  workloads: WorkloadRepository,
  { clusters }: RecordScope,
  labelSelector: string | undefined,
): Promise<readonly string[] | null> {
  if (labelSelector === undefined || labelSelector.trim() === '') return null;
  const selector = parseSelectorField(labelSelector);
  const incarnations = await Promise.all(clusters.map(({ cluster }) => workloads.allIncarnations(cluster)));
  return incarnations
    .flat()
    .filter(({ labels }) => matchesSelector(selector, labels))
    .map(({ uid }) => uid);
}

function itemOf(listed: ListedRecord, keys: Keys): Answer<typeof timelineItemSchema> {
  const { images, steps, ...item } = recordItem(listed, [], keys);
  return namedMembers(timelineItemSchema, {
    ...item,
    ...(item.to.number === null && { images }),
    unwatched: listed.record.unwatched,
    steps: steps.flatMap(({ kind, name, startedAt }) =>
      kind === 'wave' || startedAt === null ? [] : [{ name, at: startedAt }],
    ),
  });
}
