import 'server-only';
import { type ArchivedRollout, type RolloutPage, type RolloutQuery } from '@/server/archive/archive';
import { parseDocument, toColumn } from '@/server/archive/codec';
import { lifeSchema } from '@/server/archive/documents';
import { OPEN } from '@/server/archive/records';
import { type ArchiveDb } from '@/server/archive/schema';

/** Rollouts as figures need them, latest start first: no document is opened, so a hundred thousand take a second. */
export async function rolloutPage(
  db: ArchiveDb,
  { sinceMs, namespaces, before, limit }: RolloutQuery,
): Promise<RolloutPage> {
  let query = db
    .selectFrom('record')
    .select(['id', 'cluster', 'resource', 'namespace', 'name', 'workload_uid', 'started_ms', 'ended_ms'])
    .select([
      'activation',
      'outcome',
      'from_hash',
      'to_hash',
      'reviewed',
      'start_known',
      'stuck',
      'has_cause',
    ])
    // A rollout of which not even a bound of the start is known is of no period.
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
      cluster: row.cluster,
      resource: row.resource,
      namespace: row.namespace,
      name: row.name,
      workloadUid: row.workload_uid,
      activation: row.activation,
      startedMs: row.started_ms,
      endedMs: row.outcome === OPEN || row.outcome === 'unknown' ? null : row.ended_ms,
      outcome: row.outcome === OPEN ? null : (row.outcome as ArchivedRollout['outcome']),
      fromHash: row.from_hash,
      toHash: row.to_hash,
      isReviewed: row.reviewed === 1,
      isStartKnown: row.start_known === 1,
      wasStuck: row.stuck === 1,
      hasCause: row.has_cause === 1,
    })),
    next:
      rows.length < limit || last === undefined
        ? null
        : { startedMs: last.started_ms, activation: last.activation, id: last.id },
  };
}

/** The labels of lives by their uid, as they were last seen. */
export async function labelsOf(
  db: ArchiveDb,
  uids: readonly string[],
): Promise<Map<string, Readonly<Record<string, string>>>> {
  if (uids.length === 0) return new Map();
  const rows = await db
    .selectFrom('life')
    .select(['uid', 'document'])
    .where('uid', 'in', uids.map(toColumn))
    .execute();
  return new Map(rows.map(({ uid, document }) => [uid, parseDocument(lifeSchema, document).labels]));
}
