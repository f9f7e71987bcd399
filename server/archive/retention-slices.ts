import 'server-only';
import { sql } from 'kysely';
import { OPEN } from '@/server/archive/records';
import type { ArchiveDb } from '@/server/archive/migrations/schema';

/** Does one piece of work on the database, small enough that requests can wait for its end: some milliseconds. */
export type RunSlice = <Result>(query: (db: ArchiveDb) => Promise<Result>) => Promise<Result>;

/** Rows that are read at a time: some milliseconds. */
const SLICE_ROWS = 500;

/** The limits of the policy. */
export interface RetentionBounds {
  sinceMs: number;
  /** The latest of each incarnation. */
  count: number;
}

/** A slice of the walk: what the policy expires, and the hashes of the bodies that the rest names. */
interface RetentionSlice<Item> {
  expired: Item[];
  hashes: string[];
}

export interface RankedRecord {
  seq: number;
  id: string;
  cluster: string;
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

/** Bodies that no revision has: only a record names their template, or nothing does. */
export async function* unrevisedBodies(read: RunSlice): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    const { rows } = await read((db) =>
      sql<{ hash: string; known: number }>`
        select body.hash, exists (select 1 from revision where revision.hash = body.hash) as known
        from body where body.hash > ${after} order by body.hash limit ${SLICE_ROWS}`.execute(db),
    );
    yield rows.filter(({ known }) => !known).map(({ hash }) => hash);
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE_ROWS) return;
    after = last.hash;
  }
}

/** The records of all incarnations, the latest of each incarnation first. */
export async function* retentionSlices(
  read: RunSlice,
  bounds: RetentionBounds,
): AsyncGenerator<RetentionSlice<RankedRecord>> {
  let after: RankedRecord | null = null;
  let position = 0;
  do {
    const before: RankedRecord | null = after;
    const { rows, commented }: RecordRows = await read((db) => recordsBefore(db, before));
    const slice: RetentionSlice<RankedRecord> = { expired: [], hashes: [] };
    for (const row of rows) {
      position = isSameIncarnation(row, after) ? position + 1 : 1;
      after = row;
      const isYoung = position <= bounds.count && row.started_ms >= bounds.sinceMs;
      const isProtected = row.pinned === 1 || row.reviewed === 1 || commented.has(row.seq);
      if (!isYoung && !isProtected && row.outcome !== OPEN) slice.expired.push(row);
      else slice.hashes.push(row.to_hash, ...(row.from_hash === null ? [] : [row.from_hash]));
    }
    yield slice;
    if (rows.length < SLICE_ROWS) after = null;
  } while (after !== null);
}

async function recordsBefore(db: ArchiveDb, after: RankedRecord | null): Promise<RecordRows> {
  const position = after === null ? [] : [after.cluster, after.workload_uid, after.activation, after.id];
  // Written for the index of a workload's records, which both engines read backwards.
  const { rows } = await sql<RankedRecord>`
    select seq, id, cluster, workload_uid, activation, started_ms, pinned, reviewed, outcome, from_hash, to_hash from record
    ${after === null ? sql`` : sql`where (cluster, workload_uid, activation, id) < (${sql.join(position)})`}
    order by cluster desc, workload_uid desc, activation desc, id desc limit ${SLICE_ROWS}`.execute(db);
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
  cluster: string;
  workload_uid: string;
  id: string;
  hash: string;
  first_seen_ms: number;
  pruned_ms: number | null;
  deleted_ms: number | null;
}

/** The revisions of one incarnation after the other; both are hashes. */
export async function* revisionSlices(
  read: RunSlice,
  bounds: RetentionBounds,
): AsyncGenerator<RetentionSlice<string>> {
  let ofIncarnation: RankedRevision[] = [];
  for (let after: RankedRevision | null = null; ;) {
    const before: RankedRevision | null = after;
    const rows: RankedRevision[] = await read((db) => revisionsAfter(db, before));
    for (const row of rows) {
      if (!isSameIncarnation(row, after)) {
        yield partitionRevisions(ofIncarnation, bounds);
        ofIncarnation = [];
      }
      ofIncarnation.push(row);
      after = row;
    }
    if (rows.length < SLICE_ROWS) break;
  }
  yield partitionRevisions(ofIncarnation, bounds);
}

async function revisionsAfter(db: ArchiveDb, after: RankedRevision | null): Promise<RankedRevision[]> {
  const { rows } = await sql<RankedRevision>`
    select revision.cluster, revision.workload_uid, revision.id, revision.hash, revision.first_seen_ms, revision.pruned_ms,
      incarnation.deleted_ms
    from revision left join incarnation
      on incarnation.cluster = revision.cluster and incarnation.uid = revision.workload_uid
    ${
      after === null
        ? sql``
        : sql`where (revision.cluster, revision.workload_uid, revision.id)
      > (${after.cluster}, ${after.workload_uid}, ${after.id})`
    }
    order by revision.cluster, revision.workload_uid, revision.id limit ${SLICE_ROWS}`.execute(db);
  return rows;
}

/**
 * Of an incarnation the latest come first by when they were pruned; what is in the cluster is retained, whatever its
 * position.
 */
function partitionRevisions(
  ofIncarnation: RankedRevision[],
  { sinceMs, count }: RetentionBounds,
): RetentionSlice<string> {
  if (ofIncarnation.length > count) ofIncarnation.sort(byEnd);
  const slice: RetentionSlice<string> = { expired: [], hashes: [] };
  for (const [index, { hash, pruned_ms, deleted_ms }] of ofIncarnation.entries()) {
    const endMs = pruned_ms ?? deleted_ms;
    const isRetained = endMs === null || (index < count && endMs >= sinceMs);
    (isRetained ? slice.hashes : slice.expired).push(hash);
  }
  return slice;
}

function isSameIncarnation(
  row: Pick<RankedRecord, 'cluster' | 'workload_uid'>,
  other: Pick<RankedRecord, 'cluster' | 'workload_uid'> | null,
): boolean {
  return row.cluster === other?.cluster && row.workload_uid === other.workload_uid;
}

function byEnd(a: RankedRevision, b: RankedRevision): number {
  const [one, other] = [a.pruned_ms ?? Infinity, b.pruned_ms ?? Infinity];
  if (one !== other) return one < other ? 1 : -1;
  return b.first_seen_ms - a.first_seen_ms || (a.id < b.id ? 1 : -1);
}
