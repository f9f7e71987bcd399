import 'server-only';
import { sql } from 'kysely';
import { type RecordCount, type RecordQuery } from '@/server/archive/archive';
import { type ArchiveDb } from '@/server/archive/schema';
import { boundsOf, filtersOf, rowsMeetingAll, smallest, where } from '@/server/archive/search-filters';

/** Filters with up to so many rows are begun with: to look those up is quicker than to ask every record. */
const NARROW_MAX = 30_000;

/**
 * How many of the records that a query finds, its page aside, began in each part of the time and ended alike; earliest
 * part first. Parts are counted from 1970 on, and those without a record are left out; null: the whole time is one.
 */
export async function countRecords(
  db: ArchiveDb,
  query: RecordQuery,
  partMs: number | null,
  narrowMax = NARROW_MAX,
): Promise<RecordCount[]> {
  // An index has all of a cluster in the order of time, with what is counted.
  const bounds = boundsOf(query);
  const filters = filtersOf(query);
  const few = filters.some(({ rows }) => rows !== null) ? await smallest(db, filters, narrowMax) : [];
  const others = filters.filter((filter) => !few.some((one) => one === filter));
  const conditions = [...bounds, ...others.map(({ holds }) => holds)];
  const part = partMs === null ? sql`0` : sql`record.started_ms / ${sql.lit(partMs)}`;
  const source =
    few.length === 0
      ? sql`from record ${where(conditions)}`
      : sql`from narrow cross join record ${where([sql`record.seq = narrow.seq`, ...conditions])}`;
  const { rows } = await sql<{ part: number; outcome: RecordCount['outcome']; count: number }>`
    ${few.length === 0 ? sql`` : sql`with narrow as materialized (${rowsMeetingAll(few)})`}
    select ${part} as part, record.outcome, count(*) as count
    ${source} group by ${partMs === null ? sql`2` : sql`1, 2`} order by 1, 2`.execute(db);
  return rows.map(({ part: number, outcome, count }) => ({ fromMs: number * (partMs ?? 0), outcome, count }));
}
