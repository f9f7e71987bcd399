import 'server-only';
import { sql } from 'kysely';
import { OPEN } from '@/server/archive/records';
import { type ArchiveDb } from '@/server/archive/schema';
import { type Slice } from '@/server/archive/slice';

/** Rows that are read at a time: some milliseconds. */
const ROWS = 500;

/** Where the policy draws the line. */
export interface Kept {
  sinceMs: number;
  /** Of each workload's life, the latest. */
  count: number;
}

/** A part of what was walked through: what the policy lets go of, and the hashes of the bodies that the rest names. */
interface Sorted<Item> {
  expired: Item[];
  hashes: string[];
}

export interface RankedRecord {
  seq: number;
  id: string;
  workload_uid: string;
  activation: number;
  started_ms: number;
  pinned: number;
  reviewed: number;
  outcome: string;
  from_hash: string | null;
  to_hash: string;
}

interface RecordRows {
  rows: RankedRecord[];
  commented: ReadonlySet<number>;
}

/** Bodies that no revision has: of templates that a record alone names, or nothing. */
export async function* unrevisedBodies(read: Slice): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    const { rows } = await read(({ db }) =>
      sql<{ hash: string; known: number }>`
        select body.hash, exists (select 1 from revision where revision.hash = body.hash) as known
        from body where body.hash > ${after} order by body.hash limit ${ROWS}`.execute(db),
    );
    yield rows.filter(({ known }) => !known).map(({ hash }) => hash);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = last.hash;
  }
}

/** The records of all lives, the latest of each life first. */
export async function* recordSlices(read: Slice, kept: Kept): AsyncGenerator<Sorted<RankedRecord>> {
  let after: RankedRecord | null = null;
  let place = 0;
  do {
    const before: RankedRecord | null = after;
    const { rows, commented }: RecordRows = await read(({ db }) => recordsBefore(db, before));
    const sorted: Sorted<RankedRecord> = { expired: [], hashes: [] };
    for (const row of rows) {
      place = row.workload_uid === after?.workload_uid ? place + 1 : 1;
      after = row;
      const isYoung = place <= kept.count && row.started_ms >= kept.sinceMs;
      const isCaredFor = row.pinned === 1 || row.reviewed === 1 || commented.has(row.seq);
      if (!isYoung && !isCaredFor && row.outcome !== OPEN) sorted.expired.push(row);
      else sorted.hashes.push(row.to_hash, ...(row.from_hash === null ? [] : [row.from_hash]));
    }
    yield sorted;
    if (rows.length < ROWS) after = null;
  } while (after !== null);
}

async function recordsBefore(db: ArchiveDb, after: RankedRecord | null): Promise<RecordRows> {
  const place = after === null ? [] : [after.workload_uid, after.activation, after.id];
  // Written for the index of a workload's records, which both engines read backwards.
  const { rows } = await sql<RankedRecord>`
    select seq, id, workload_uid, activation, started_ms, pinned, reviewed, outcome, from_hash, to_hash from record
    ${after === null ? sql`` : sql`where (workload_uid, activation, id) < (${sql.join(place)})`}
    order by workload_uid desc, activation desc, id desc limit ${ROWS}`.execute(db);
  if (rows.length === 0) return { rows, commented: new Set<number>() };
  const comments = await db
    .selectFrom('comment')
    .select('seq')
    .distinct()
    .where(
      'seq',
      'in',
      rows.map(({ seq }) => seq),
    )
    .execute();
  return { rows, commented: new Set(comments.map(({ seq }) => seq)) };
}

interface RankedRevision {
  workload_uid: string;
  id: string;
  hash: string;
  first_seen_ms: number;
  pruned_ms: number | null;
  deleted_ms: number | null;
}

/** The revisions of one life after the other; both are hashes. */
export async function* revisionSlices(read: Slice, kept: Kept): AsyncGenerator<Sorted<string>> {
  let life: RankedRevision[] = [];
  for (let after: RankedRevision | null = null; ;) {
    const before: RankedRevision | null = after;
    const rows: RankedRevision[] = await read(({ db }) => revisionsAfter(db, before));
    for (const row of rows) {
      if (row.workload_uid !== after?.workload_uid) {
        yield sortRevisions(life, kept);
        life = [];
      }
      life.push(row);
      after = row;
    }
    if (rows.length < ROWS) break;
  }
  yield sortRevisions(life, kept);
}

async function revisionsAfter(db: ArchiveDb, after: RankedRevision | null): Promise<RankedRevision[]> {
  const { rows } = await sql<RankedRevision>`
    select revision.workload_uid, revision.id, revision.hash, revision.first_seen_ms, revision.pruned_ms,
      life.deleted_ms
    from revision left join life on life.uid = revision.workload_uid
    ${after === null ? sql`` : sql`where (revision.workload_uid, revision.id) > (${after.workload_uid}, ${after.id})`}
    order by revision.workload_uid, revision.id limit ${ROWS}`.execute(db);
  return rows;
}

/** Of a life the latest come first by when they were pruned; what is in the cluster is kept, whatever its place. */
function sortRevisions(life: RankedRevision[], { sinceMs, count }: Kept): Sorted<string> {
  if (life.length > count) life.sort(byEnd);
  const sorted: Sorted<string> = { expired: [], hashes: [] };
  for (const [index, { hash, pruned_ms, deleted_ms }] of life.entries()) {
    const endMs = pruned_ms ?? deleted_ms;
    const isKept = endMs === null || (index < count && endMs >= sinceMs);
    (isKept ? sorted.hashes : sorted.expired).push(hash);
  }
  return sorted;
}

function byEnd(a: RankedRevision, b: RankedRevision): number {
  const [one, other] = [a.pruned_ms ?? Infinity, b.pruned_ms ?? Infinity];
  if (one !== other) return one < other ? 1 : -1;
  return b.first_seen_ms - a.first_seen_ms || (a.id < b.id ? 1 : -1);
}
