import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Lease, type RetentionPolicy } from '@/server/archive/archive';
import { partsOf } from '@/server/archive/codec';
import { requireLease } from '@/server/archive/lease';
import {
  type Kept,
  type RankedRecord,
  recordSlices,
  revisionSlices,
  unrevisedBodies,
} from '@/server/archive/retention-slices';
import { OPEN } from '@/server/archive/records';
import { type ArchiveDatabase, type ArchiveDb } from '@/server/archive/schema';
import { type Slice } from '@/server/archive/slice';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A clock that has jumped ahead must not end what is young: time counts up to so long after the last rollout that began.
 * Where nothing has begun for longer, nothing has to make room either.
 */
const QUIET_MS = 7 * DAY_MS;

/** Records that were written last, among which the one that began last is looked for. */
const LATEST = 500;

/** Revisions whose bodies are looked for together. */
const LOOKED_UP = 1_000;

export interface Expired {
  bodies: number;
  series: number;
}

/**
 * Lets go of bodies and pod series that the policy no longer keeps; rows, sentences, reviews and comments stay for
 * good. Kept in any case: what the cluster still has, what is open, and what was pinned, reviewed or commented.
 *
 * The archive may be large and SQLite answers at once, so this goes through it in slices of some hundred rows, with a turn
 * of the event loop after each. An aborted `signal` ends it between two of them.
 */
export async function expire(
  /** Does one piece of work on the database, see `withPatience`. */
  work: Slice,
  lease: Lease,
  { days, perWorkload }: RetentionPolicy,
  nowMs: number,
  signal?: AbortSignal,
): Promise<Expired> {
  if (days === 0 && perWorkload === 0) return { bodies: 0, series: 0 };
  const read: Slice = async (ask) => {
    signal?.throwIfAborted();
    const answer = await work(ask);
    await setImmediate();
    return answer;
  };
  const change: Slice = (ask) =>
    read(({ db, engine, bytes }) =>
      db.transaction().execute(async (transaction) => {
        await requireLease(transaction, engine, lease);
        return ask({ db: transaction, engine, bytes });
      }),
    );
  // In a transaction, so that one who has lost the lease does not even begin.
  const last = await change(lastRecord);
  if (last === undefined) return { bodies: 0, series: 0 };
  // Zero stands for no limit.
  const kept: Kept = {
    sinceMs: days === 0 ? -Infinity : Math.min(nowMs, last.startedMs + QUIET_MS) - days * DAY_MS,
    count: perWorkload === 0 ? Infinity : perWorkload,
  };
  const candidates = await oldBodies(read, kept);
  let series = 0;
  for await (const { expired, hashes } of recordSlices(read, kept)) {
    for (const hash of hashes) candidates.delete(hash);
    series += await expireSeries(read, change, expired);
  }
  let bodies = 0;
  for (const part of partsOf([...candidates]))
    bodies += await change(({ db }) => deleteBodies(db, part, last.seq));
  return { bodies, series };
}

/** Where the records ended when this began, and when the latest of them did. */
async function lastRecord({ db }: ArchiveDatabase): Promise<{ seq: number; startedMs: number } | undefined> {
  const latest = db.selectFrom('record').select(['seq', 'started_ms']).orderBy('seq', 'desc').limit(LATEST);
  const { seq, ms } = await db
    .selectFrom(latest.as('latest'))
    .select(({ fn }) => [fn.max('seq').as('seq'), fn.max('started_ms').as('ms')])
    .executeTakeFirstOrThrow();
  return seq === null ? undefined : { seq, startedMs: ms };
}

/** Hashes of bodies that no revision keeps; records may. */
async function oldBodies(read: Slice, kept: Kept): Promise<Set<string>> {
  const old = new Set<string>();
  for await (const hashes of unrevisedBodies(read)) for (const hash of hashes) old.add(hash);
  let expired: string[] = [];
  for await (const slice of revisionSlices(read, kept)) {
    expired.push(...slice.expired);
    if (expired.length < LOOKED_UP) continue;
    for (const hash of await bodiesAmong(read, expired)) old.add(hash);
    expired = [];
  }
  for (const hash of await bodiesAmong(read, expired)) old.add(hash);
  if (old.size === 0) return old;
  // What one workload has let go of another may still have.
  for await (const { hashes } of revisionSlices(read, kept)) for (const hash of hashes) old.delete(hash);
  return old;
}

/** Most of what has expired has been let go of before. */
async function bodiesAmong(read: Slice, hashes: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const part of partsOf(hashes)) {
    const rows = await read(({ db }) =>
      db.selectFrom('body').select('hash').where('hash', 'in', part).execute(),
    );
    for (const { hash } of rows) found.push(hash);
  }
  return found;
}

async function expireSeries(read: Slice, change: Slice, records: readonly RankedRecord[]): Promise<number> {
  let series = 0;
  for (const part of partsOf(records)) {
    const seqs = part.map(({ seq }) => seq);
    const full = await read(({ db }) => seriesOf(db, seqs));
    if (full.length === 0) continue;
    await change(({ db }) =>
      db.updateTable('record_document').set({ samples: null }).where('seq', 'in', full).execute(),
    );
    series += full.length;
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

/** But for those that have come back since this began: as a revision of the cluster, or in a record. */
async function deleteBodies(db: ArchiveDb, hashes: readonly string[], lastSeq: number): Promise<number> {
  const revisions = await db
    .selectFrom('revision')
    .leftJoin('life', 'life.uid', 'revision.workload_uid')
    .select('revision.hash')
    .where('revision.hash', 'in', hashes)
    .where('revision.pruned_ms', 'is', null)
    .where('life.deleted_ms', 'is', null)
    .execute();
  const list = sql.join(hashes);
  const records = await sql<{ from: string | null; to: string }>`
    select from_hash as "from", to_hash as "to" from record where seq > ${lastSeq}
    union all
    select from_hash as "from", to_hash as "to" from record
    where outcome = ${OPEN} and (to_hash in (${list}) or from_hash in (${list}))`.execute(db);
  const back = new Set(revisions.map(({ hash }) => hash));
  for (const { from, to } of records.rows) {
    if (from !== null) back.add(from);
    back.add(to);
  }
  const gone = hashes.filter((hash) => !back.has(hash));
  if (gone.length === 0) return 0;
  const { numDeletedRows } = await db.deleteFrom('body').where('hash', 'in', gone).executeTakeFirst();
  return Number(numDeletedRows);
}
