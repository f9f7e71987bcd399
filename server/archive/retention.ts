import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { chunksOf } from '@/server/archive/column-values';
import { type Lease, requireLease } from '@/server/archive/lease';
import {
  type RetentionBounds,
  type RankedRecord,
  retentionSlices,
  revisionSlices,
  type RunSlice,
  unrevisedBodies,
} from '@/server/archive/retention-slices';
import { OPEN } from '@/server/archive/records';
import type { ArchiveDb } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A clock that has jumped ahead must not expire what is young: time counts at most this long after the start of the
 * latest rollout. Where nothing has begun for longer, nothing needs the space either.
 */
const IDLE_MAX_MS = 7 * DAY_MS;

/** The records that were written last, among which the latest start is looked for. */
const LATEST_RECORDS = 500;

/** Revisions whose bodies are looked up together. */
const LOOKUP_BATCH = 1_000;

/** How long bodies and pod series are retained. Zero: no limit. */
export interface RetentionPolicy {
  /** Counted from when the cluster pruned the revision, or when the rollout began. */
  days: number;
  /** The latest of each incarnation. */
  perWorkload: number;
}

interface ExpiredCounts {
  bodies: number;
  series: number;
}

/** Expires what a policy no longer retains. */
export class ArchiveRetention {
  readonly #session: Pick<ArchiveSession, 'engine' | 'run'>;

  constructor(session: Pick<ArchiveSession, 'engine' | 'run'>) {
    this.#session = session;
  }

  /**
   * Expires bodies and pod series that the policy no longer retains; rows, sentences, reviews and comments are never
   * removed. Always retained: what the cluster still has, what is open, and what was pinned, reviewed or commented.
   * Needs the lease for maintenance.
   *
   * The archive may be large and SQLite is synchronous, so this walks it in slices of some hundred rows, with a turn of
   * the event loop after each. An aborted `signal` ends it between two of them: what is left expires the next time.
   */
  async expire(
    lease: Lease,
    { days, perWorkload }: RetentionPolicy,
    nowMs: number,
    signal?: AbortSignal,
  ): Promise<ExpiredCounts> {
    if (days === 0 && perWorkload === 0) return { bodies: 0, series: 0 };
    const read: RunSlice = async (query) => {
      signal?.throwIfAborted();
      const answer = await this.#session.run(query);
      await setImmediate();
      return answer;
    };
    const change: RunSlice = (query) =>
      read((db) =>
        db.transaction().execute(async (transaction) => {
          await requireLease(transaction, this.#session.engine, lease);
          return query(transaction);
        }),
      );
    // In a transaction, so that a process that has lost the lease does not even begin.
    const last = await change(lastRecord);
    if (last === undefined) return { bodies: 0, series: 0 };
    // Zero: no limit.
    const bounds: RetentionBounds = {
      sinceMs: days === 0 ? -Infinity : Math.min(nowMs, last.startedMs + IDLE_MAX_MS) - days * DAY_MS,
      count: perWorkload === 0 ? Infinity : perWorkload,
    };
    const candidates = await findExpiredBodies(read, bounds);
    let series = 0;
    for await (const { expired, hashes } of retentionSlices(read, bounds)) {
      for (const hash of hashes) candidates.delete(hash);
      series += await expireSeries(read, change, expired);
    }
    let bodies = 0;
    for (const chunk of chunksOf([...candidates]))
      bodies += await change((db) => deleteBodies(db, chunk, last.seq));
    return { bodies, series };
  }
}

/** The last row of the records when this began, and the latest start. */
async function lastRecord(db: ArchiveDb): Promise<{ seq: number; startedMs: number } | undefined> {
  const latest = db
    .selectFrom('record')
    .select(['seq', 'started_ms'])
    .orderBy('seq', 'desc')
    .limit(LATEST_RECORDS);
  const { seq, ms } = await db
    .selectFrom(latest.as('latest'))
    .select(({ fn }) => [fn.max('seq').as('seq'), fn.max('started_ms').as('ms')])
    .executeTakeFirstOrThrow();
  return seq === null ? undefined : { seq, startedMs: ms };
}

/** Hashes of bodies that no revision retains; records may. */
async function findExpiredBodies(read: RunSlice, bounds: RetentionBounds): Promise<Set<string>> {
  const expiredBodies = new Set<string>();
  for await (const hashes of unrevisedBodies(read)) for (const hash of hashes) expiredBodies.add(hash);
  let expired: string[] = [];
  for await (const slice of revisionSlices(read, bounds)) {
    expired.push(...slice.expired);
    if (expired.length < LOOKUP_BATCH) continue;
    for (const hash of await bodiesAmong(read, expired)) expiredBodies.add(hash);
    expired = [];
  }
  for (const hash of await bodiesAmong(read, expired)) expiredBodies.add(hash);
  if (expiredBodies.size === 0) return expiredBodies;
  // A template that expired for one workload may belong to another.
  for await (const { hashes } of revisionSlices(read, bounds))
    for (const hash of hashes) expiredBodies.delete(hash);
  return expiredBodies;
}

/** Most of what has expired was removed by earlier runs. */
async function bodiesAmong(read: RunSlice, hashes: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const chunk of chunksOf(hashes)) {
    const rows = await read((db) =>
      db.selectFrom('body').select('hash').where('hash', 'in', chunk).execute(),
    );
    for (const { hash } of rows) found.push(hash);
  }
  return found;
}

async function expireSeries(
  read: RunSlice,
  change: RunSlice,
  records: readonly RankedRecord[],
): Promise<number> {
  let series = 0;
  for (const chunk of chunksOf(records)) {
    const seqs = chunk.map(({ seq }) => seq);
    const withSamples = await read((db) => seriesOf(db, seqs));
    if (withSamples.length === 0) continue;
    await change((db) =>
      db.updateTable('record_document').set({ samples: null }).where('seq', 'in', withSamples).execute(),
    );
    series += withSamples.length;
  }
  return series;
}

async function seriesOf(db: ArchiveDb, seqs: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('record_document')
    .select('seq')
    .where('seq', 'in', seqs)
    .where('samples', 'is not', null)
    .execute();
  return rows.map(({ seq }) => seq);
}

/** Except those that have returned since this began: as a revision of the cluster, or in a record. */
async function deleteBodies(db: ArchiveDb, hashes: readonly string[], lastSeq: number): Promise<number> {
  const revisions = await db
    .selectFrom('revision')
    .leftJoin('incarnation', (join) =>
      join
        .onRef('incarnation.cluster', '=', 'revision.cluster')
        .onRef('incarnation.uid', '=', 'revision.workload_uid'),
    )
    .select('revision.hash')
    .where('revision.hash', 'in', hashes)
    .where('revision.pruned_ms', 'is', null)
    .where('incarnation.deleted_ms', 'is', null)
    .execute();
  const list = sql.join(hashes);
  const records = await sql<{ from: string | null; to: string }>`
    select from_hash as "from", to_hash as "to" from record where seq > ${lastSeq}
    union all
    select from_hash as "from", to_hash as "to" from record
    where outcome = ${OPEN} and (to_hash in (${list}) or from_hash in (${list}))`.execute(db);
  const referenced = new Set(revisions.map(({ hash }) => hash));
  for (const { from, to } of records.rows) {
    if (from !== null) referenced.add(from);
    referenced.add(to);
  }
  const unreferenced = hashes.filter((hash) => !referenced.has(hash));
  if (unreferenced.length === 0) return 0;
  const { numDeletedRows } = await db.deleteFrom('body').where('hash', 'in', unreferenced).executeTakeFirst();
  return Number(numDeletedRows);
}
