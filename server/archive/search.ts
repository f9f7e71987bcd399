import 'server-only';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { AppError } from '@/lib/errors';
import { type ListedRecord, type RecordQuery } from '@/server/archive/archive';
import { toColumn } from '@/server/archive/column-values';
import { listedRecordQuery, toListedRecord } from '@/server/archive/records';
import { isBehind, type CursorPosition, recordSlices, sliceRowsOf } from '@/server/archive/record-slices';
import { type ArchiveDb, type Engine } from '@/server/archive/migrations/schema';
import {
  boundsOf,
  type Filter,
  filtersOf,
  type IndexedFilter,
  rowsMeetingAll,
  mostSelective,
  where,
} from '@/server/archive/search-filters';

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

export function defaultLimits(engine: Engine): SearchLimits {
  return { narrowMax: 4_000, walkMax: 5_000, intersectMax: 30_000, sliceRows: sliceRowsOf(engine) };
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
  const found = await findRows(db, query, limit + 1, limits);
  const items = found.length === 0 ? [] : await readRows(db, found.slice(0, limit));
  const last = found.at(limit - 1);
  return { items, nextCursor: found.length > limit && last !== undefined ? writeCursor(last) : null };
}

async function findRows(
  db: ArchiveDb,
  query: RecordQuery,
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

interface FoundRow extends CursorPosition {
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

function afterCursor({ cursor }: RecordQuery): RawBuilder<SqlBool>[] {
  if (cursor === null) return [];
  return [isBehind(readCursor(cursor))];
}

function writeCursor({ startedMs, activation, id }: CursorPosition): string {
  return Buffer.from(JSON.stringify([startedMs, activation, id])).toString('base64url');
}

function readCursor(cursor: string): CursorPosition {
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
  throw new AppError('bad_request', 'The cursor is not one of Shiplog. Begin again without it.', { cursor });
}
