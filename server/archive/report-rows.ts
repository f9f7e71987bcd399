import 'server-only';
import { sql } from 'kysely';
import {
  type ArchivedRollout,
  type ArchivedWorkload,
  type RolloutPage,
  type RolloutQuery,
} from '@/server/archive/archive';
import { parseDocument, chunksOf, toColumn } from '@/server/archive/column-values';
import { incarnationSchema } from '@/server/archive/document-schemas';
import { OPEN } from '@/server/archive/records';
import { isChanged, nearestTo } from '@/server/archive/same-template';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

/** Rollouts with the columns of the figures, latest start first: all of them are in the index of that order. */
export async function rolloutPage(
  db: ArchiveDb,
  { cluster, sinceMs, namespaces, before, limit }: RolloutQuery,
): Promise<RolloutPage> {
  let query = db
    .selectFrom('record')
    .select(['id', 'workload_uid', 'activation', 'started_ms', 'ended_ms', 'outcome'])
    .select(['reviewed', 'start_known', 'stuck', 'has_cause', 'is_return'])
    .where('cluster', '=', toColumn(cluster))
    // A rollout without even a bound of its start belongs to no period.
    .where('started_ms', '>=', Math.max(1, sinceMs))
    .orderBy('started_ms', 'desc')
    .orderBy('activation', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (namespaces !== null) query = query.where('namespace', 'in', namespaces.map(toColumn));
  if (before !== null) {
    query = query.where((of) =>
      of(
        of.refTuple('started_ms', 'activation', 'id'),
        '<',
        of.tuple(before.startedMs, before.activation, toColumn(before.id)),
      ),
    );
  }
  const rows = await query.execute();
  const last = rows.at(-1);
  return {
    items: rows.map((row): ArchivedRollout => ({
      id: row.id,
      workloadUid: row.workload_uid,
      activation: row.activation,
      startedMs: row.started_ms,
      endedMs: row.outcome === OPEN || row.outcome === 'unknown' ? null : row.ended_ms,
      outcome: row.outcome === OPEN ? null : (row.outcome as ArchivedRollout['outcome']),
      isReviewed: row.reviewed === 1,
      isStartKnown: row.start_known === 1,
      wasStuck: row.stuck === 1,
      hasCause: row.has_cause === 1,
      isReturn: row.is_return === 1,
    })),
    next:
      rows.length < limit || last === undefined
        ? null
        : { startedMs: last.started_ms, activation: last.activation, id: last.id },
  };
}

/** The workloads of these records by their uid. */
export async function workloadsOf(
  db: ArchiveDb,
  ids: readonly string[],
): Promise<Map<string, ArchivedWorkload>> {
  const found = new Map<string, ArchivedWorkload>();
  for (const chunk of chunksOf(ids.map(toColumn))) {
    const rows = await db
      .selectFrom('record')
      .select(['workload_uid', 'cluster', 'resource', 'namespace', 'name'])
      .where('id', 'in', chunk)
      .execute();
    for (const { workload_uid, ...workload } of rows) found.set(workload_uid, workload);
  }
  return found;
}

/** When each of these records was reverted, of those that were: see the interface. */
export async function revertTimesOf(db: ArchiveDb, ids: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const chunk of chunksOf(ids.map(toColumn))) {
    const rows = await db
      .selectFrom('record')
      .innerJoin('record as later', (join) =>
        join
          .onRef('later.workload_uid', '=', 'record.workload_uid')
          .on('later.activation', '=', nearestTo('from', 'after', sql`near.started_ms > 0`)),
      )
      .where('record.id', 'in', chunk)
      .where(isChanged)
      .select(['record.id', 'later.started_ms as ms'])
      .execute();
    for (const { id, ms } of rows) found.set(id, ms);
  }
  return found;
}

/** The labels of incarnations by their uid, as last observed. */
export async function labelsAt(
  db: ArchiveDb,
  uids: readonly string[],
): Promise<Map<string, Readonly<Record<string, string>>>> {
  if (uids.length === 0) return new Map();
  const rows = await db
    .selectFrom('life')
    .select(['uid', 'document'])
    .where('uid', 'in', uids.map(toColumn))
    .execute();
  return new Map(rows.map(({ uid, document }) => [uid, parseDocument(incarnationSchema, document).labels]));
}
