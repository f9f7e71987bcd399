import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { AppError } from '@/lib/errors';
import type { Outcome } from '@/lib/api/record-values';
import { toColumn } from '@/server/archive/column-values';
import type { ArchiveDb, Engine } from '@/server/archive/migrations/schema';
import { type ListedRecord, listedRecordQuery, toListedRecord } from '@/server/archive/records';
import {
  boundsOf,
  byCluster,
  type ClusterQuery,
  type Filter,
  filtersOf,
  type IndexedFilter,
  mostSelective,
  type RecordQuery,
  rowsMeetingAll,
  where,
} from '@/server/archive/record-query';

/** How many rollouts began within one bucket of time and had the same outcome. */
export interface RecordCount {
  /** Start of the bucket. */
  fromMs: number;
  outcome: Outcome | 'open';
  count: number;
}

/** When a search changes its plan, in rows. */
export interface SearchLimits {
  /**
   * A search starts with a filter of at most this many rows: looking them up and sorting them is quicker than a walk.
   */
  narrowMax: number;
  /** This many of the latest are walked in order, which fills a page where matches are common. */
  walkMax: number;
  /** Filters with at most this many rows are intersected, where each is common and yet few rows meet all of them. */
  intersectMax: number;
  /** This many are checked together where no index leads to the matches. */
  sliceRows: number;
}

/** Rows whose every word can be looked up in some ten milliseconds. */
const SLICE_ROWS = 5_000;

/** A server works in parallel to this process, and each slice is a round trip. */
export function defaultLimits(engine: Engine): SearchLimits {
  const sliceRows = engine === 'sqlite' ? SLICE_ROWS : Infinity;
  return { narrowMax: 4_000, walkMax: 5_000, intersectMax: 30_000, sliceRows };
}

const PAGE_MAX = 500;

/**
 * Records that match the query, latest start first (of one workload also within a second), those of unknown start last;
 * without samples. Throws AppError `bad_request` for an invalid cursor.
 */
export async function searchRecords(
  db: ArchiveDb,
  query: RecordQuery,
  limits: SearchLimits,
): Promise<{ items: ListedRecord[]; nextCursor: string | null }> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_MAX);
  // One more tells whether there is another page.
  const found = await findLatest(db, query, limit + 1, limits);
  const items = found.length === 0 ? [] : await readRows(db, found.slice(0, limit));
  const last = found.at(limit - 1);
  return { items, nextCursor: found.length > limit && last !== undefined ? writeCursor(last) : null };
}

/** The latest of all clusters: as many of each are enough. */
async function findLatest(
  db: ArchiveDb,
  query: RecordQuery,
  limit: number,
  limits: SearchLimits,
): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  for (const each of byCluster(query)) found.push(...(await findRows(db, each, limit, limits)));
  return query.clusters.length === 1 ? found : found.sort(byStart).slice(0, limit);
}

/** Latest start first. */
function byStart(a: RecordPosition, b: RecordPosition): number {
  return b.startedMs - a.startedMs || b.activation - a.activation || (a.id < b.id ? 1 : -1);
}

async function findRows(
  db: ArchiveDb,
  query: ClusterQuery,
  limit: number,
  limits: SearchLimits,
): Promise<FoundRow[]> {
  const filters = filtersOf(query);
  const bounds = [...boundsOf(query), ...afterCursor(query)];
  const all = [...bounds, ...filters.map(({ holds }) => holds)];
  if (filters.length === 0) return findInOrder(db, sql`record`, all, limit);
  const findAmongAll = () => findInSlices(db, bounds, all, limit, limits.sliceRows);
  if (filters.every(({ rows }) => rows === null)) return findAmongAll();

  const [least] = await mostSelective(db, filters, limits.narrowMax);
  if (least !== undefined) return findAmong(db, [least], filters, bounds, limit);

  const latest = sql`(
    select * from record ${where(bounds)}
    order by started_ms desc, activation desc, id desc limit ${sql.lit(limits.walkMax)}) as record`;
  const found = await findInOrder(db, latest, all, limit);
  if (found.length === limit) return found;

  const few = await mostSelective(db, filters, limits.intersectMax);
  if (few.length === 0) return findAmongAll();
  return findAmong(db, few, filters, bounds, limit);
}

/** Checks each record, until the page is full. */
async function findInSlices(
  db: ArchiveDb,
  bounds: readonly RawBuilder<SqlBool>[],
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number,
  rows: number,
): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  for await (const slice of recordSlices(db, bounds, rows)) {
    found.push(...(await findInOrder(db, sql`record`, [...conditions, ...slice], limit - found.length)));
    if (found.length === limit) break;
  }
  return found;
}

async function findInOrder(
  db: ArchiveDb,
  source: RawBuilder<unknown>,
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number,
): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select record.seq, record.started_ms as "startedMs", record.activation, record.id from ${source} ${where(conditions)}
    order by record.started_ms desc, record.activation desc, record.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Looks up the rows that meet the `chosen` filters, and then checks the other filters on them. */
async function findAmong(
  db: ArchiveDb,
  chosen: readonly IndexedFilter[],
  filters: readonly Filter[],
  bounds: readonly RawBuilder<SqlBool>[],
  limit: number,
): Promise<FoundRow[]> {
  const others = filters.filter((filter) => !chosen.some((one) => one === filter));
  const within = [sql<SqlBool>`record.seq = narrow.seq`, ...bounds];
  const conditions = others.map(({ holds }) => holds);
  // SQLite keeps the order of a cross join. PostgreSQL estimates badly how many rows meet the conditions, so the
  // statement makes it find the candidates first.
  const { rows } = await sql<FoundRow>`
    with narrow as materialized (${rowsMeetingAll(chosen)}),
      candidate as materialized (select record.* from narrow cross join record ${where(within)})
    select record.seq, record.started_ms as "startedMs", record.activation, record.id from candidate as record
    ${where(conditions)}
    order by record.started_ms desc, record.activation desc, record.id desc limit ${limit}`.execute(db);
  return rows;
}

interface FoundRow extends RecordPosition {
  seq: number;
}

async function readRows(db: ArchiveDb, found: readonly FoundRow[]): Promise<ListedRecord[]> {
  const rows = await listedRecordQuery(db)
    .where(
      'record.seq',
      'in',
      found.map(({ seq }) => seq),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.flatMap(({ id }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [toListedRecord(row)];
  });
}

/**
 * How many of the records that a query finds, on all its pages, began in each bucket of time and had the same outcome;
 * earliest bucket first. Buckets are counted from 1970 on, and empty ones are left out; null: one bucket for all time.
 */
export async function countRecords(
  db: ArchiveDb,
  query: RecordQuery,
  partMs: number | null,
  limits: Pick<SearchLimits, 'intersectMax' | 'sliceRows'>,
): Promise<RecordCount[]> {
  const counts: RecordCount[] = [];
  for (const each of byCluster(query)) counts.push(...(await countOfCluster(db, each, partMs, limits)));
  return sumUp(counts);
}

async function countOfCluster(
  db: ArchiveDb,
  query: ClusterQuery,
  partMs: number | null,
  { intersectMax, sliceRows }: Pick<SearchLimits, 'intersectMax' | 'sliceRows'>,
): Promise<RecordCount[]> {
  // An index has all records of a cluster in the order of time, with the counted columns.
  const bounds = boundsOf(query);
  const filters = filtersOf(query);
  const few = filters.some(({ rows }) => rows !== null) ? await mostSelective(db, filters, intersectMax) : [];
  const others = filters.filter((filter) => !few.some((one) => one === filter));
  const conditions = [...bounds, ...others.map(({ holds }) => holds)];
  const part = partMs === null ? sql`0` : sql`record.started_ms / ${sql.lit(partMs)}`;
  const countIn = async (source: RawBuilder<unknown>, leading = sql``): Promise<RecordCount[]> => {
    const { rows } = await sql<{ part: number; outcome: RecordCount['outcome']; count: number }>`
      ${leading} select ${part} as part, record.outcome, count(*) as count
      ${source} group by ${partMs === null ? sql`2` : sql`1, 2`} order by 1, 2`.execute(db);
    return rows.map(({ part: number, outcome, count }) => ({
      fromMs: number * (partMs ?? 0),
      outcome,
      count,
    }));
  };
  if (few.length > 0)
    return countIn(
      sql`from narrow cross join record ${where([sql`record.seq = narrow.seq`, ...conditions])}`,
      sql`with narrow as materialized (${rowsMeetingAll(few)})`,
    );
  const counts: RecordCount[] = [];
  for await (const slice of recordSlices(db, bounds, sliceRows))
    counts.push(...(await countIn(sql`from record ${where([...conditions, ...slice])}`)));
  return counts;
}

function sumUp(counts: readonly RecordCount[]): RecordCount[] {
  const sums = new Map<string, RecordCount>();
  for (const { fromMs, outcome, count } of counts) {
    const key = `${fromMs} ${outcome}`;
    sums.set(key, { fromMs, outcome, count: (sums.get(key)?.count ?? 0) + count });
  }
  return [...sums.values()].sort((a, b) => a.fromMs - b.fromMs);
}

/** The position of a record among all, latest start first. */
interface RecordPosition {
  startedMs: number;
  activation: number;
  id: string;
}

/**
 * Cuts the records within the bounds into slices of a given number of rows, latest first, and yields the condition of
 * each: reading them one after the other reads all, with a turn of the event loop after each.
 */
export async function* recordSlices(
  db: ArchiveDb,
  bounds: readonly RawBuilder<SqlBool>[],
  rows: number,
): AsyncGenerator<RawBuilder<SqlBool>[]> {
  for (let above: RawBuilder<SqlBool>[] = []; ;) {
    const last = rows === Infinity ? undefined : await placeAfter(db, [...bounds, ...above], rows);
    yield last === undefined ? above : [...above, isFrom(last)];
    if (last === undefined) return;
    above = [isBehind(last)];
    await setImmediate();
  }
}

/** The start alone limits the range of that index, on both sides. */
function isBehind({ startedMs, activation, id }: RecordPosition): RawBuilder<SqlBool> {
  return sql`record.started_ms <= ${startedMs}
    and (record.started_ms, record.activation, record.id) < (${startedMs}, ${activation}, ${id})`;
}

function isFrom({ startedMs, activation, id }: RecordPosition): RawBuilder<SqlBool> {
  return sql`record.started_ms >= ${startedMs}
    and (record.started_ms, record.activation, record.id) >= (${startedMs}, ${activation}, ${id})`;
}

/** The last row of a slice; undefined where there are fewer rows. */
async function placeAfter(
  db: ArchiveDb,
  bounds: readonly RawBuilder<SqlBool>[],
  rows: number,
): Promise<RecordPosition | undefined> {
  const found = await sql<RecordPosition>`
    select record.started_ms as "startedMs", record.activation, record.id from record ${where(bounds)}
    order by record.started_ms desc, record.activation desc, record.id desc
    limit 1 offset ${sql.lit(rows - 1)}`.execute(db);
  return found.rows[0];
}

function afterCursor({ cursor }: ClusterQuery): RawBuilder<SqlBool>[] {
  if (cursor == null) return [];
  return [isBehind(readCursor(cursor))];
}

function writeCursor({ startedMs, activation, id }: RecordPosition): string {
  return Buffer.from(JSON.stringify([startedMs, activation, id])).toString('base64url');
}

function readCursor(cursor: string): RecordPosition {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(position) && position.length === 3) {
      const [startedMs, activation, id] = position as unknown[];
      if (Number.isSafeInteger(startedMs) && Number.isSafeInteger(activation) && typeof id === 'string')
        return { startedMs: startedMs as number, activation: activation as number, id: toColumn(id) };
    }
  } catch {
    // Rejected below, like one of another form.
  }
  throw new AppError('bad_request', 'The cursor is invalid. Start again without it.', { cursor });
}
