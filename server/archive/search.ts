import 'server-only';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { AppError } from '@/lib/errors';
import { type ListedRecord, type RecordQuery } from '@/server/archive/archive';
import { toColumn } from '@/server/archive/codec';
import { listing, toListed } from '@/server/archive/records';
import { isBehind, type Place, recordSlices, sliceRowsOf } from '@/server/archive/record-slices';
import { type ArchiveDb, type Engine } from '@/server/archive/schema';
import {
  boundsOf,
  type Filter,
  filtersOf,
  type IndexedFilter,
  rowsMeetingAll,
  smallest,
  where,
} from '@/server/archive/search-filters';

/** When a search changes its way, in rows. */
export interface Effort {
  /** A filter with up to so many is begun with: to look them up and sort them is quicker than to walk. */
  narrowMax: number;
  /** So many of the latest are walked through in order, which fills a page where what is looked for is common. */
  walkMax: number;
  /** Filters with up to so many are intersected, where each is common and yet few rows meet all of them. */
  intersectMax: number;
  /** So many are looked at together where nothing leads to those that are looked for. */
  sliceRows: number;
}

export function usualEffort(engine: Engine): Effort {
  return { narrowMax: 4_000, walkMax: 5_000, intersectMax: 30_000, sliceRows: sliceRowsOf(engine) };
}

const PAGE_MAX = 500;

/**
 * Records that meet every part of the query, latest start first (of one workload also within a second), those of
 * unknown start last; without samples. Throws
 * AppError `bad_request` for a cursor that is none.
 */
export async function searchRecords(
  db: ArchiveDb,
  query: RecordQuery,
  effort: Effort,
): Promise<{ items: ListedRecord[]; nextCursor: string | null }> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_MAX);
  // One more tells whether there is another page.
  const found = await find(db, query, limit + 1, effort);
  const items = found.length === 0 ? [] : await readRows(db, found.slice(0, limit));
  const last = found.at(limit - 1);
  return { items, nextCursor: found.length > limit && last !== undefined ? writeCursor(last) : null };
}

async function find(db: ArchiveDb, query: RecordQuery, limit: number, effort: Effort): Promise<FoundRow[]> {
  const filters = filtersOf(query);
  const bounds = [...boundsOf(query), ...afterCursor(query)];
  const all = [...bounds, ...filters.map(({ holds }) => holds)];
  if (filters.length === 0) return findInOrder(db, sql`record`, all, limit);
  const findAmongAll = () => findInSlices(db, bounds, all, limit, effort.sliceRows);
  if (filters.every(({ rows }) => rows === null)) return findAmongAll();

  const [least] = await smallest(db, filters, effort.narrowMax);
  if (least !== undefined) return findAmong(db, [least], filters, bounds, limit);

  const latest = sql`(
    select * from record ${where(bounds)}
    order by started_ms desc, activation desc, id desc limit ${sql.lit(effort.walkMax)}) as record`;
  const found = await findInOrder(db, latest, all, limit);
  if (found.length === limit) return found;

  const few = await smallest(db, filters, effort.intersectMax);
  if (few.length === 0) return findAmongAll();
  return findAmong(db, few, filters, bounds, limit);
}

/** Asks each record, until there are enough. */
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

/** Looks up the rows that meet the `chosen` filters, and then what the others say of them. */
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
  // SQLite keeps the order of a cross join. PostgreSQL guesses badly how many rows meet the conditions, so it is told to
  // find the candidates first.
  const { rows } = await sql<FoundRow>`
    with narrow as materialized (${rowsMeetingAll(chosen)}),
      candidate as materialized (select record.* from narrow cross join record ${where(within)})
    select record.seq, record.started_ms as "startedMs", record.activation, record.id from candidate as record
    ${where(conditions)}
    order by record.started_ms desc, record.activation desc, record.id desc limit ${limit}`.execute(db);
  return rows;
}

interface FoundRow extends Place {
  seq: number;
}

async function readRows(db: ArchiveDb, found: readonly FoundRow[]): Promise<ListedRecord[]> {
  const rows = await listing(db)
    .where(
      'record.seq',
      'in',
      found.map(({ seq }) => seq),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.flatMap(({ id }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [toListed(row)];
  });
}

function afterCursor({ cursor }: RecordQuery): RawBuilder<SqlBool>[] {
  if (cursor === null) return [];
  return [isBehind(readCursor(cursor))];
}

function writeCursor({ startedMs, activation, id }: Place): string {
  return Buffer.from(JSON.stringify([startedMs, activation, id])).toString('base64url');
}

function readCursor(cursor: string): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(place) && place.length === 3) {
      const [startedMs, activation, id] = place as unknown[];
      if (Number.isSafeInteger(startedMs) && Number.isSafeInteger(activation) && typeof id === 'string')
        return { startedMs: startedMs as number, activation: activation as number, id: toColumn(id) };
    }
  } catch {
    // Told below, like one of another form.
  }
  throw new AppError('bad_request', 'The cursor is not one of Shiplog. Begin again without it.', { cursor });
}
